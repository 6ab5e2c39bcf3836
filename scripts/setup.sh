#!/usr/bin/env bash
# Makes .venv/ ready: system packages, a virtual environment, pinned Python packages, the native module.
# Called by make, which knows what is out of date:  setup.sh python | native | kernel [if-possible] | tests
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv
log=$venv/setup.log
min_rust=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# Runs a step with its output in the log; shows the end of the log when the step fails.
step() {
  local what=$1; shift
  say "$what"
  if ! "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "\"$what\" failed; the whole output is in $log"
  fi
}

# The newest Python that is at least 3.11 and can make virtual environments. $PYTHON overrides.
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

# Installs Debian packages as root or through sudo; without either, prints the one line to run.
apt_install() {
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || die "missing system packages; run:  sudo apt-get install -y $*  and then make again"
    sudo="sudo -n"
  fi
  command -v apt-get >/dev/null || die "please install these packages (Debian names) and run make again: $*"
  say "installing system packages: $*"
  # A stale package list is common on fresh machines: one update, only if the first try fails.
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
    "$python" -m venv "$venv" || die "$python could not make $venv"
  fi
  step "installing Python packages (requirements-dev.txt)" \
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
}

setup_native() {
  command -v cc >/dev/null || apt_install gcc libc6-dev
  command -v cargo >/dev/null || die "no Rust toolchain found; install Rust $min_rust or newer (rustup.rs tells how) and run make again"
  local found
  found=$(cargo --version | cut -d' ' -f2)
  [ "$(printf '%s\n%s\n' "$min_rust" "$found" | sort -V | head -n1)" = "$min_rust" ] ||
    die "Rust $found is too old; $min_rust or newer is needed (rustup update)"
  step "building the simulator, release profile (a few minutes the first time)" \
    env VIRTUAL_ENV="$PWD/$venv" PATH="$PWD/$venv/bin:$PATH" "$venv/bin/maturin" develop --release --locked
}

# The controllers for the kernel and their loader. Only building them needs clang and libelf's headers, and only
# `make kernel` and the tests insist on them: the simulator does without.
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
      say "left out the controllers for the Linux kernel (missing: $missing); \`make kernel\` installs that and adds them"
      return
    fi
    # shellcheck disable=SC2086
    apt_install $missing
  fi
  step "building the controllers for the Linux kernel" cargo build --release --locked -p tworay-kernel
  # Renamed into place: a loader that runs can't be written to.
  cp "${CARGO_TARGET_DIR:-target}/release/tworay-kernel" "$loader.new" && mv "$loader.new" "$loader"
}

# What only the tests need: `ip` makes their namespaces, Wireshark's dissectors read our captures, valgrind counts for `tworay costs`
# (without it the test asks for the advice to install it).
setup_tests() {
  [ -n "${TWORAY_WITHOUT_TSHARK:-}" ] || command -v tshark >/dev/null || apt_install tshark
  command -v ip >/dev/null || apt_install iproute2
  command -v sysctl >/dev/null || apt_install procps
  # Certificates for a cluster on this machine; a mount namespace for the test of a full disk.
  command -v openssl >/dev/null || apt_install openssl
  command -v unshare >/dev/null || apt_install util-linux mount
  # Programs that talk over live networks.
  local program missing=()
  for program in ip:iproute2 iperf3:iperf3 curl:curl ping:iputils-ping tcpdump:tcpdump babeld:babeld; do
    command -v "${program%%:*}" >/dev/null || missing+=("${program#*:}")
  done
  [ "${#missing[@]}" -eq 0 ] || apt_install "${missing[@]}"
  command -v valgrind >/dev/null || (apt_install valgrind) || true
  setup_viewer
}

# The reports' pages are opened in a browser, and their script is built again to see that it is what its sources
# say. Only tests need either: the built script is in the repository.
setup_viewer() {
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    apt_install --no-install-recommends chromium fonts-dejavu-core
  command -v npm >/dev/null || apt_install --no-install-recommends nodejs npm
  local stamp=viewer/node_modules/.package-lock.json
  [ -f "$stamp" ] && [ ! viewer/package-lock.json -nt "$stamp" ] ||
    step "installing what the reports' script is built with (viewer/package-lock.json)" \
      npm ci --prefix viewer --ignore-scripts --no-audit --no-fund
}

mkdir -p "$venv"
case "${1:-}" in
  python) setup_python ;;
  native) setup_native ;;
  kernel) setup_kernel "${2:-}" ;;
  tests) setup_tests ;;
  *) die "usage: setup.sh python|native|kernel|tests" ;;
esac
