#!/usr/bin/env bash
# Prepares .venv/: system packages, a virtual environment, pinned Python packages, the native module.
# Called by make for the parts that are out of date:  setup.sh python | native | kernel [if-possible] | compile | tests | matrix | wheel | paper
set -euo pipefail
cd "$(dirname "$0")/.."
# Some of what the tests use is there, which is not in every user's path.
PATH=$PATH:/usr/sbin:/sbin
venv=.venv
log=$venv/setup-${1:-}.log
min_rust=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# Runs a step with its output in the log; prints the end of the log if the step fails.
step() {
  local what=$1; shift
  say "$what"
  if ! "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "\"$what\" failed; the whole output is in $log"
  fi
}

# The first Python of this list that is at least 3.11 and can create virtual environments. $PYTHON overrides.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# Installs Debian packages as root or through sudo; if neither is possible, prints the command to run.
apt_install() {
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || die "missing system packages; run:  sudo apt-get install -y $*  and then make again"
    sudo="sudo -n"
  fi
  command -v apt-get >/dev/null || die "please install these packages (Debian names) and run make again: $*"
  say "installing system packages: $*"
  # Package lists of new machines are often outdated: update them once if the first attempt fails.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1 ||
    { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"; } >&2 ||
    die "apt-get could not install: $*"
}

setup_python() {
  local python
  python=$(find_python) || { apt_install python3 python3-venv; python=$(find_python); } ||
    die "no Python 3.11 or newer found; install one, or name it: make PYTHON=/path/to/python3.12"
  if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    rm -rf "$venv"
    "$python" -m venv "$venv" || die "$python could not create $venv"
  fi
  step "installing Python packages (requirements-dev.txt)" install_packages
}

# uv takes a seventh of pip's CPU time. It doesn't read pip's settings, so it may fail where pip works: then pip installs them.
install_packages() {
  local python=$venv/bin/python
  local pip=("$python" -m pip install --quiet --disable-pip-version-check)
  { "${pip[@]}" "$(grep '^uv==' requirements-dev.txt)" &&
    "$venv/bin/uv" pip install --quiet --python "$python" -r requirements-dev.txt; } ||
    "${pip[@]}" -r requirements-dev.txt
}

rust_needs() {
  command -v cc >/dev/null || apt_install gcc libc6-dev
  command -v cargo >/dev/null || die "no Rust toolchain found; install Rust $min_rust or newer (see https://rustup.rs) and run make again"
  local found
  found=$(cargo --version | cut -d' ' -f2)
  [ "$(printf '%s\n%s\n' "$min_rust" "$found" | sort -V | head -n1)" = "$min_rust" ] ||
    die "Rust $found is too old; $min_rust or newer is needed (rustup update)"
}

setup_native() {
  rust_needs
  step "building the simulator, release profile (a few minutes the first time)" \
    env VIRTUAL_ENV="$PWD/$venv" PATH="$PWD/$venv/bin:$PATH" "$venv/bin/maturin" develop --release --locked
}

# Prints the missing packages for building the kernel controllers and their loader. Only `make kernel` and the tests
# require clang and the libelf headers; the simulator does not need them.
kernel_needs() {
  local missing=() compiler header
  for compiler in "${TWORAY_CLANG:-}" clang clang-{11..40}; do
    [ -n "$compiler" ] && command -v "$compiler" >/dev/null && break
  done
  command -v "$compiler" >/dev/null || missing+=(clang)
  for header in libelf.h:libelf-dev zlib.h:zlib1g-dev; do
    echo "#include <${header%%:*}>" | cc -E - >/dev/null 2>&1 || missing+=("${header#*:}")
  done
  command -v make >/dev/null || missing+=(make)
  command -v pkg-config >/dev/null || missing+=(pkg-config)
  printf '%s\n' "${missing[*]:-}"
}

setup_kernel() {
  local missing loader=python/tworay/kernel/tworay-kernel
  missing=$(kernel_needs)
  if [ -n "$missing" ]; then
    if [ "${1:-}" = if-possible ]; then
      say "skipped the controllers for the Linux kernel (missing: $missing); \`make kernel\` installs these packages and builds them"
      return
    fi
    # shellcheck disable=SC2086
    apt_install $missing
  fi
  step "building the controllers for the Linux kernel" cargo build --release --locked -p tworay-kernel
  # Renamed into place, because a running loader cannot be overwritten.
  cp "${CARGO_TARGET_DIR:-target}/release/tworay-kernel" "$loader.new" && mv "$loader.new" "$loader"
}

# Programs that only the tests need: `ip` creates namespaces, Wireshark's dissectors check captures, valgrind counts
# instructions for `tworay costs` (without it the test expects the advice to install it).
# What the checks of the Rust sources need: they compile the loader of the controllers, too.
setup_compile() {
  rust_needs
  local packages
  packages=$(kernel_needs)
  # shellcheck disable=SC2086
  [ -z "$packages" ] || apt_install $packages
}

setup_tests() {
  setup_compile
  # Programs that communicate over live networks; openssl makes certificates for a local cluster, unshare a mount namespace for
  # the test of a full disk.
  local program missing=()
  for program in ip:iproute2 sysctl:procps openssl:openssl unshare:util-linux unshare:mount iperf3:iperf3 curl:curl \
    ping:iputils-ping ssh:openssh-client sshd:openssh-server tcpdump:tcpdump babeld:babeld bird:bird2 bpftool:bpftool tshark:tshark; do
    [ "${program#*:}" = tshark ] && [ -n "${TWORAY_WITHOUT_TSHARK:-}" ] && continue
    command -v "${program%%:*}" >/dev/null || missing+=("${program#*:}")
  done
  [ "${#missing[@]}" -eq 0 ] || apt_install "${missing[@]}"
  command -v valgrind >/dev/null || (apt_install valgrind) || true
  setup_viewer
}

# The tests open the report pages in a browser, and rebuild the pages' script to check that it matches its sources.
# Users need neither, because the built script is in the repository.
setup_viewer() {
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    apt_install --no-install-recommends chromium fonts-dejavu-core
  command -v npm >/dev/null || apt_install --no-install-recommends nodejs npm
  local stamp=viewer/node_modules/.package-lock.json
  [ -f "$stamp" ] && [ ! viewer/package-lock.json -nt "$stamp" ] ||
    step "installing the build tools of the report pages' script (viewer/package-lock.json)" \
      npm ci --prefix viewer --ignore-scripts --no-audit --no-fund
}

# Builds dist/tworay-VERSION-cp311-abi3-manylinux_2_28_x86_64.whl and dist/tworay-VERSION.tar.gz. The wheel runs on
# every x86-64 Linux with glibc 2.28 or newer: zig links against that version, and libelf and zlib, which the loader of
# the kernel controllers needs, are linked into it.
setup_wheel() {
  local target=x86_64-unknown-linux-gnu glibc=2.28 loader=python/tworay/kernel/tworay-kernel parts=target/wheel missing
  [ "$(uname -m)" = x86_64 ] || die "wheels are built on x86-64 machines; this one is $(uname -m)"
  missing=$(kernel_needs)
  # shellcheck disable=SC2086
  [ -z "$missing" ] || apt_install $missing
  rustc --print target-libdir --target "$target" >/dev/null 2>&1 || die "Rust lacks the target $target: rustup target add $target"
  step "installing the tools for wheels (requirements-wheel.txt, 440 MB)" \
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements-wheel.txt
  # zig looks for no headers of the system: it gets those of these two libraries only.
  rm -rf "$parts/include" "$parts/lib" && mkdir -p "$parts/include" "$parts/lib"
  local file
  for file in libelf.h gelf.h zlib.h zconf.h; do
    cp "$(echo "#include <$file>" | cc -E - | sed -n "s|^# 1 \"\(.*/$file\)\".*|\1|p" | head -n1)" "$parts/include/"
  done
  for file in libelf.a libz.a; do
    cp "$(cc -print-file-name=$file)" "$parts/lib/" 2>/dev/null || die "$file is missing (Debian: libelf-dev and zlib1g-dev have them)"
  done
  step "building the loader of the kernel controllers for glibc $glibc" \
    env PATH="$PWD/$venv/bin:$PATH" LIBBPF_SYS_EXTRA_CFLAGS="-isystem $PWD/$parts/include" LIBBPF_SYS_LIBRARY_PATH="$PWD/$parts/lib" \
    cargo zigbuild --release --locked -p tworay-kernel --features static --target "$target.$glibc"
  # The wheel takes the loader from the package's folder. The one that was there comes back afterwards.
  [ ! -e "$loader" ] || mv "$loader" "$parts/loader"
  trap 'if [ -e target/wheel/loader ]; then mv target/wheel/loader python/tworay/kernel/tworay-kernel; else rm -f python/tworay/kernel/tworay-kernel; fi' EXIT
  cp "${CARGO_TARGET_DIR:-target}/$target/release/tworay-kernel" "$loader"
  mkdir -p dist
  step "building the wheel (a few minutes)" \
    env VIRTUAL_ENV="$PWD/$venv" PATH="$PWD/$venv/bin:$PATH" "$venv/bin/maturin" build --release --locked --zig \
    --target "$target" --compatibility "manylinux_${glibc/./_}" --out dist
  step "packing the sources" "$venv/bin/maturin" sdist --out dist
}

# Installs the emulator of `make kernel-matrix`, and what its machine takes from this one.
setup_matrix() {
  local program missing=()
  for program in qemu-system-x86_64:qemu-system-x86 tc:iproute2 ldd:libc-bin; do
    command -v "${program%%:*}" >/dev/null || missing+=("${program#*:}")
  done
  [ "${#missing[@]}" -eq 0 ] || apt_install --no-install-recommends "${missing[@]}"
}

# Installs what sets the PDF of docs/studies/what-held.md. No test needs it.
setup_paper() {
  step "installing pandoc and typst (requirements-paper.txt, 70 MB)" \
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements-paper.txt
}

mkdir -p "$venv"
case "${1:-}" in
  python) setup_python ;;
  native) setup_native ;;
  kernel) setup_kernel "${2:-}" ;;
  compile) setup_compile ;;
  tests) setup_tests ;;
  matrix) setup_matrix ;;
  wheel) setup_wheel ;;
  paper) setup_paper ;;
  *) die "usage: setup.sh python|native|kernel|compile|tests|matrix|wheel|paper" ;;
esac
