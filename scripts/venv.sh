# Sourced by the other scripts, from the project's folder: makes .venv and installs the project in it.
#
#   ensure_venv EXTRAS    afterwards $venv_python runs the project with these extras
#
# PYTHON names the interpreter to use; MECHA_TUI_PYTHON one that has everything installed already.

ensure_venv() {
    local extras=$1 base version stamp
    if [ -n "${MECHA_TUI_PYTHON:-}" ]; then
        venv_python=$MECHA_TUI_PYTHON
        return
    fi
    venv_python=.venv/bin/python
    base=$(_base_python)
    version=$(_version "$base")
    if [ "$(_version "$venv_python")" != "$version" ] &&
        { [ -n "${PYTHON:-}" ] || [ -z "$(_version "$venv_python")" ]; }; then
        echo "making .venv with Python $version" >&2
        _make_venv "$base"
    fi
    stamp=.venv/installed-$extras-$(cksum < pyproject.toml | tr ' ' '-')
    if [ ! -e "$stamp" ]; then
        echo "installing mecha-tui[$extras] in .venv" >&2
        "$venv_python" -m pip install --quiet --disable-pip-version-check -e ".[$extras]"
        touch "$stamp"
    fi
}

# Prints the version of an interpreter that is new enough; nothing for any other.
_version() {
    "$1" -c 'import sys
if sys.version_info >= (3, 10): print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null || true
}

_base_python() {
    local name
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10 python}; do
        if [ -n "$(_version "$name")" ]; then
            echo "$name"
            return
        fi
    done
    echo "mecha-tui needs Python 3.10 or newer: install it, or name it as PYTHON=/path/to/python3" >&2
    return 3
}

_make_venv() {
    if "$1" -m venv --clear .venv; then
        return
    fi
    rm -rf .venv
    if install_packages python3-venv && "$1" -m venv --clear .venv; then
        return
    fi
    echo "$1 cannot make a virtual environment: install its venv module (on Debian: apt install python3-venv)" >&2
    return 3
}

# Installs system packages where that may be done without asking anyone.
install_packages() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "installing $*" >&2
    {
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@" ||
            { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"; }
    } >/dev/null
}
