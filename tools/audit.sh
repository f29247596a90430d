#!/usr/bin/env bash
# Looks all locked packages up among known vulnerabilities. Fails where one is known, or where
# pip-audit is missing; where the list cannot be reached or lacks packages, it says so in one line and
# fails nothing.
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit
if [[ ! -x .venv/bin/pip-audit ]]; then
    echo "Not audited: pip-audit is missing; run ./check --setup." >&2
    exit 1
fi
found=$(.venv/bin/pip-audit --disable-pip --require-hashes --progress-spinner off \
    --requirement locks/requirements-test.lock 2>&1)
outcome=$?
if ((outcome != 0)) && ! grep -q "known vulnerabilit" <<<"$found"; then
    reason=$(tail -n 1 <<<"$found")
    echo "Not audited: the list of known vulnerabilities cannot be reached (${reason:0:120})." >&2
    exit 0
fi
# pip-audit finds nothing wrong with a package that it knows nothing about.
unknown=$(grep -c "could not be audited" <<<"$found")
grep -v "could not be audited" <<<"$found" | sed '/^Name  *Skip Reason/,$d' >&2
if ((unknown > 0)); then
    echo "Not audited: nothing is known of $unknown of the $(grep -c == locks/requirements-test.lock)" \
        "packages; the package index here has no list of vulnerabilities." >&2
fi
exit "$outcome"
