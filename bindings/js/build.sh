#!/usr/bin/env bash
# Builds the package: the two WebAssembly modules, their entries, the tarball in dist/.
#
# Needs Debian's rustc-web, cargo-web, rust-web-src and lld (any version that has them), and npm for wasm-opt.
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
[ "${1:-}" = --check-tools ] && exit 0

# Debian's compiler and the sources of its standard library, whatever else is on the path.
target=${TOOLGATE_WASM_TARGET:-$PWD/target}
compile() {
    env -u RUSTC_WRAPPER -u RUSTUP_TOOLCHAIN -u __CARGO_TEST_CHANNEL_OVERRIDE_DO_NOT_USE_THIS \
        -u CARGO_UNSTABLE_FEATURE_UNIFICATION -u CARGO_RESOLVER_FEATURE_UNIFICATION \
        PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 \
        CARGO_TARGET_DIR="$target" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker" \
        RUSTFLAGS="-Zunstable-options -Cpanic=immediate-abort --remap-path-prefix=$(cd ../.. && pwd)=/toolgate --remap-path-prefix=$HOME=/home" \
        /usr/bin/cargo build --release --lib --target wasm32-unknown-unknown \
        -Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size "$@"
}

[ -x dev/node_modules/.bin/wasm-opt ] || (cd dev && npm install --silent --no-audit --no-fund --no-package-lock)
optimise() {
    dev/node_modules/.bin/wasm-opt -Oz --strip-debug --strip-producers --strip-target-features \
        --enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int \
        --enable-multivalue --enable-reference-types "$target/wasm32-unknown-unknown/release/toolgate_wasm.wasm" -o "$1"
}

rm -rf dist
mkdir -p dist
compile
optimise dist/full.wasm
compile --no-default-features
optimise dist/lean.wasm
node build.mjs
npm pack --silent --pack-destination dist >/dev/null

for name in full lean; do
    printf '%s.wasm: %d bytes, %d gzipped\n' "$name" "$(wc -c <dist/$name.wasm)" "$(gzip -9 -n -c dist/$name.wasm | wc -c)"
done
