#!/usr/bin/env bash
# Builds the package: the three WebAssembly modules, their entries, the tarball in dist/.
#
# Needs Debian's rustc-web, cargo-web, rust-web-src and lld (any version that has them), and npm.
# `--check-tools` only says whether they are there: exit 0, or 3 and one line that names what is missing.
set -euo pipefail
cd "$(dirname "$0")"

linker=$(compgen -G '/usr/bin/wasm-ld*' | sort -V | tail -1 || true)
missing=
[ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] || missing+=" cargo-web rustc-web"
[ -d /usr/lib/rustlib/src/rust/library ] || missing+=" rust-web-src"
[ -n "$linker" ] || missing+=" lld"
if [ -n "$missing" ]; then
    echo "the WebAssembly build needs Debian's$missing"
    exit 3
fi
version=$(/usr/bin/rustc --version | cut -d' ' -f2)
# The first that knows -Cpanic=immediate-abort.
if [ "$(printf '1.92\n%s\n' "$version" | sort -V | head -1)" != 1.92 ]; then
    echo "the WebAssembly build needs rustc 1.92 or later, found $version"
    exit 3
fi
[ "${1:-}" = --check-tools ] && exit 0

# Debian's compiler and the sources of its standard library, whatever else is on the path. Nothing here prints by
# `Debug` or the place of a panic, so neither is compiled.
target=${TOOLSURE_WASM_TARGET:-$PWD/target}
compile() {
    env -u RUSTC_WRAPPER -u RUSTUP_TOOLCHAIN -u __CARGO_TEST_CHANNEL_OVERRIDE_DO_NOT_USE_THIS \
        -u CARGO_UNSTABLE_FEATURE_UNIFICATION -u CARGO_RESOLVER_FEATURE_UNIFICATION \
        PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 \
        CARGO_TARGET_DIR="$target" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker" \
        RUSTFLAGS="-Zunstable-options -Cpanic=immediate-abort -Zfmt-debug=none -Zlocation-detail=none --remap-path-prefix=$(cd ../.. && pwd)=/toolsure --remap-path-prefix=$target=/target --remap-path-prefix=$HOME=/home" \
        /usr/bin/cargo build --release --lib --target wasm32-unknown-unknown \
        -Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size "$@"
}

module=$target/wasm32-unknown-unknown/release/toolsure_wasm.wasm
[ -x dev/node_modules/.bin/wasm-opt ] || (cd dev && npm install --silent --no-audit --no-fund --no-package-lock)

# Writes a module without the names for debuggers, and only with those passes that make it smaller when it is compressed:
# most of what -Oz does makes the bytes fewer and less alike.
shrink() {
    dev/node_modules/.bin/wasm-opt --enable-bulk-memory --enable-bulk-memory-opt --enable-sign-ext --enable-nontrapping-float-to-int \
        --enable-mutable-globals --enable-multivalue --enable-reference-types --enable-call-indirect-overlong \
        --dce --merge-similar-functions --duplicate-function-elimination --optimize-instructions --remove-unused-brs --rse \
        --reorder-locals --vacuum --strip-debug --strip-producers --strip-target-features "$module" -o "dist/$1.wasm"
}

rm -rf dist
mkdir -p dist
compile --features analysis
shrink analysis
compile
shrink full
# The lean module is for those who count bytes: 8 % fewer, and checks take a third longer.
compile --no-default-features --config 'profile.release.package.toolsure-schema.opt-level="z"'
shrink lean
node build.mjs
npm pack --silent --pack-destination dist >/dev/null

for name in full lean analysis; do
    printf '%s.wasm: %d bytes, %d gzipped\n' "$name" "$(wc -c <dist/$name.wasm)" "$(gzip -9 -n -c dist/$name.wasm | wc -c)"
done
