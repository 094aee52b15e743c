#!/usr/bin/env bash
# What the action runs, by the variables that action.yml sets. Its exit code is the first that is not 0.
set -uo pipefail

folder=${RUNNER_TEMP:-$(mktemp -d)}
outcome=0
worse() { if [ "$outcome" -eq 0 ]; then outcome=$1; fi; }
output() { echo "$1=$2" >> "${GITHUB_OUTPUT:-/dev/null}"; }

if [ -n "${LISTING:-}" ] && [ -n "${SERVER:-}" ] || [ -z "${LISTING:-}${SERVER:-}" ]; then
    echo "::error::give either \`listing\` or \`server\`"
    exit 2
fi

if [ -n "${SERVER:-}" ]; then
    case $SERVER in
        http://*|https://*) target=("$SERVER") ;;
        # The words of a command, without the shell's expansions.
        *) read -r -a words <<< "$SERVER"; target=(-- "${words[@]}") ;;
    esac
    listing=$folder/listing.json
    toolsure check --quiet --format github --save "$listing" "${target[@]}"
    code=$?
    worse $code
    # Nothing was listed: there is nothing more to look at.
    if [ ! -f "$listing" ]; then exit "$outcome"; fi
else
    listing=$LISTING
    toolsure check --quiet --format github "$listing"
    code=$?
    worse $code
fi

if [ "${LINT:-true}" = true ]; then
    options=()
    for profile in ${PROFILES:-}; do options+=(--profile "$profile"); done
    if [ "${ADVANCED_SECURITY:-false}" = true ]; then
        sarif=$folder/toolsure.sarif
        toolsure lint "${options[@]+"${options[@]}"}" --format sarif "$listing" > "$sarif"
        code=$?
        # Code scanning tells of findings; an unusable input is still an error.
        if [ "$code" -le 1 ]; then output sarif "$sarif"; else worse $code; fi
    else
        toolsure lint "${options[@]+"${options[@]}"}" --fail-on "${FAIL_ON:-error}" --format github "$listing"
        code=$?
        worse $code
    fi
fi

if [ "${DIFF:-true}" = true ] && [ -n "${BASE:-}" ] && [ -n "${LISTING:-}" ]; then
    old=$folder/base.json
    git rev-parse --quiet --verify "refs/remotes/origin/$BASE" > /dev/null \
        || git fetch --quiet --depth=1 origin "+refs/heads/$BASE:refs/remotes/origin/$BASE"
    code=$?
    if [ "$code" -ne 0 ]; then
        echo "::error::the base branch \`$BASE\` cannot be fetched"
        worse 2
    elif git show "refs/remotes/origin/$BASE:./$LISTING" > "$old" 2> /dev/null; then
        toolsure diff --fail-on "${DIFF_FAIL_ON:-breaking}" --format github "$old" "$listing"
        code=$?
        worse $code
        comment=$folder/comment.md
        toolsure diff --format markdown "$old" "$listing" > "$comment"
        output comment "$comment"
    else
        echo "::notice::\`$LISTING\` is not in the base branch; there is nothing to compare with"
    fi
fi
exit "$outcome"
