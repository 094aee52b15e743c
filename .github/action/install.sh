#!/usr/bin/env bash
# Installs the command in an environment of its own: from the wheel or the address that `package` names, or else from the
# action's own source, which takes Rust and some minutes. A bare name would come from a registry, where it is somebody else's.
set -euo pipefail

package=${PACKAGE:-$GITHUB_ACTION_PATH}
case $package in
    */* | *\\* | *.whl) ;;
    *)
        echo "::error::nothing of Toolsure is uploaded to a registry yet, so \`$package\` would be a package of somebody else:" \
            "give the path of a wheel or an address such as \`git+https://…\`, or leave \`package\` out to build the action's own source"
        exit 2
        ;;
esac

# Where the program's SARIF finds the pages that explain its rules.
if [ -n "${ACTION_REPOSITORY:-}" ]; then export TOOLSURE_REPOSITORY=$GITHUB_SERVER_URL/$ACTION_REPOSITORY; fi

python3 -m venv "$RUNNER_TEMP/toolsure"
scripts=$RUNNER_TEMP/toolsure/bin
[ -d "$scripts" ] || scripts=$RUNNER_TEMP/toolsure/Scripts
"$scripts/pip" install --quiet --disable-pip-version-check "$package"
echo "$scripts" >> "$GITHUB_PATH"
