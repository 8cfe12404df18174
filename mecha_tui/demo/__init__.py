"""A real llama.cpp server on a tiny made-up model, and a scripted load for it."""
