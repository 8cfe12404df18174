/* A libnvidia-ml.so.1 with the answers of a GB10: memory is not supported, processes are told.
 *
 * FAKE_NVML_PROCESSES   "pid:bytes pid:bytes" of the compute list
 * FAKE_NVML_STALL       while this file exists, asking for memory does not return
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    unsigned int pid;
    unsigned long long used;
    unsigned int gpu_instance, compute_instance;
} process_t;

int nvmlInitWithFlags(unsigned int flags) { (void)flags; return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { (void)code; return "an error"; }
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device)
{
    *device = (void *)(size_t)(index + 1);
    return 0;
}
int nvmlDeviceGetName(void *device, char *name, unsigned int size)
{
    (void)device;
    strncpy(name, "NVIDIA GB10", size);
    return 0;
}
int nvmlDeviceGetMemoryInfo(void *device, void *memory)
{
    const char *stall = getenv("FAKE_NVML_STALL");
    (void)device;
    (void)memory;
    while (stall != NULL && access(stall, F_OK) == 0)
        usleep(20000);
    return 3;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, process_t *list)
{
    const char *text = getenv("FAKE_NVML_PROCESSES");
    unsigned int found = 0, room = *count;
    (void)device;
    while (text != NULL && *text != '\0') {
        char *rest;
        unsigned long pid = strtoul(text, &rest, 10);
        unsigned long long used = strtoull(rest + 1, &rest, 10);
        if (list != NULL && found < room) {
            list[found].pid = (unsigned int)pid;
            list[found].used = used;
            list[found].gpu_instance = list[found].compute_instance = 0xffffffffu;
        }
        found++;
        text = *rest == ' ' ? rest + 1 : rest;
    }
    *count = found;
    return list == NULL && found > 0 ? 7 : 0;
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned int *count, process_t *list)
{
    (void)device;
    (void)list;
    *count = 0;
    return 0;
}
