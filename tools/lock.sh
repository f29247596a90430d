#!/usr/bin/env bash
# Locks every package, and those that they need, with the digests of their files, for all systems
# and all versions of Python that Sluice runs on. Run it after a pin has changed; it needs uv.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

lock() {
    ${UV:-uv} pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-annotate --output-file "locks/$1.lock" -
}

lock requirements <requirements.txt
# `-r` would be read beside the text that is piped in, so both files are given as one.
{ cat requirements.txt && grep -v '^-r ' requirements-test.txt; } | lock requirements-test
echo uv==0.13.7 | lock uv # what installs them
sed -n 's/^PACKAGE = "\([^"]*\)".*/\1/p' runtime/spark/java.py | lock java
echo "Locked: $(grep -c == locks/requirements-test.lock) packages."
