# shellcheck shell=bash
# What ./start and ./check share: a .venv with locked packages, Java, and Debian's packages.
# requirements*.txt are the pins that people read; locks/ holds the digests of all files (lock.sh).
# Sourced from the project's folder. Safe to interrupt, to repeat, and to run twice at once.

# Modules are compiled once, not by each of the many processes that Spark and the tests start.
unset PYTHONDONTWRITEBYTECODE

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$1"
    exit "${2:-1}"
}

# set_up FILE...: bring .venv to the pins of each requirement file, and see that there is a Java.
set_up() {
    local file
    trap 'fail "Interrupted." 130' INT TERM
    for file in "$@"; do
        is_installed "$file" && continue
        hold_lock
        is_installed "$file" && continue # another set-up did it while this one waited
        venv_is_sound || make_venv
        install "$file"
    done
    .venv/bin/python runtime/spark/java.py >/dev/null 2>&1 || {
        hold_lock
        get_java
    }
    keep_classes
    exec 9<&- # lets go of the lock
    trap - INT TERM
}

# What must not have changed since a file was installed; its record is written last of all.
state_of() {
    echo "$PWD"
    .venv/bin/python -V
    cat "$1" "$(lock_of "$1")"
}

lock_of() { echo "locks/${1%.txt}.lock"; }

is_installed() {
    [[ -e .venv/.installed-$1 && ! -e .venv/.incomplete ]] &&
        [[ $(state_of "$1" 2>/dev/null) == "$(<".venv/.installed-$1")" ]]
}

# A lock on an open file, kept by this shell. Python takes it, as not every system has flock.
hold_lock() {
    local python
    python=$(find_python)
    exec 9<requirements.txt
    "$python" -c '
import fcntl, sys
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("Waiting for another set-up to finish", file=sys.stderr)
    fcntl.flock(9, fcntl.LOCK_EX)
except OSError:
    pass  # a file system without locks
'
}

find_python() {
    local name without_venv=
    for name in python3 python3.13 python3.12 python3.11 python3.14; do
        "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null ||
            continue
        if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
            echo "$name"
            return
        fi
        without_venv=$name
    done
    [[ -z $without_venv ]] ||
        fail "$without_venv has no venv module: install it (on Debian, python3-venv), then run this again."
    fail "Sluice needs Python 3.11 to 3.14, and found none: install one, then run this again."
}

venv_is_sound() {
    [[ ! -e .venv/.incomplete ]] &&
        [[ ! -e .venv/.made-in || $(<.venv/.made-in) == "$PWD" ]] &&
        .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

make_venv() {
    local python
    python=$(find_python)
    say "Making .venv with $("$python" -V)"
    rm -rf .venv
    mkdir .venv
    touch .venv/.incomplete
    pwd >.venv/.made-in
    "$python" -m venv .venv || fail "The .venv could not be made: see above."
    rm .venv/.incomplete
}

# An install that is killed leaves .incomplete behind, and the next set-up starts afresh.
install() {
    local file=$1
    rm -f ".venv/.installed-$file"
    touch .venv/.incomplete
    if install_with_uv "$file" || install_with_pip "$file"; then
        rm .venv/.incomplete
        state_of "$file" >".venv/.installed-$file"
    else
        rm .venv/.incomplete
        fail "The packages of $file could not be installed: see above."
    fi
}

install_with_uv() {
    local uv index
    uv=$(find_uv) || {
        say "uv is not to be had here: pip takes longer"
        return 1
    }
    index=${PIP_INDEX_URL:-$(.venv/bin/python -m pip config get global.index-url 2>/dev/null)} || true
    say "Installing $(grep -c == "$(lock_of "$1")") packages of $1 with uv"
    UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index} \
        "$uv" pip install --quiet --python .venv/bin/python --require-hashes -r "$(lock_of "$1")" || {
        say "uv failed: trying pip"
        return 1
    }
}

install_with_pip() {
    say "Installing $(grep -c == "$(lock_of "$1")") packages of $1 with pip"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
        -r "$(lock_of "$1")"
}

find_uv() {
    command -v uv || command -v .venv/bin/uv || {
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
            -r locks/uv.lock >/dev/null 2>&1 &&
            command -v .venv/bin/uv
    }
}

get_java() {
    local version
    for version in 17 25 21; do
        apt_install "openjdk-$version-jre-headless" && break
    done
    .venv/bin/python runtime/spark/java.py --ensure >/dev/null ||
        say "Plans can be explored, not run: install Java 17 to 25 (on Debian, openjdk-17-jre-headless)."
}

# Spark starts in about half of the time when Java finds its classes in one file.
keep_classes() {
    local java made_for
    java=$(.venv/bin/python runtime/spark/java.py 2>/dev/null) || return 0
    made_for="$java $(cat "$java/release" 2>/dev/null) $(grep ^pyspark== requirements.txt)"
    [[ -e .venv/spark-classes.jsa && $(cat .venv/.classes 2>/dev/null) == "$made_for" ]] && return
    hold_lock
    say "Preparing Spark's classes and the kernels (once)"
    .venv/bin/python -m runtime.control.class_archive 2> >(grep -v "incubator modules" >&2) || return 0
    printf '%s' "$made_for" >.venv/.classes
}

apt_updated=

# apt_install PACKAGE...: false where there is no root, no apt-get or no such package.
apt_install() {
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    if [[ -z $apt_updated ]]; then
        say "Asking Debian's package lists"
        apt-get update -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 >/dev/null 2>&1 || true
        apt_updated=yes
    fi
    apt-get install --simulate -qq "$@" >/dev/null 2>&1 || return 1
    say "Installing $* from Debian's packages"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=120 "$@" >/dev/null 2>&1
}
