# Sourced by every script in this folder: strict mode, the root of the repository as the current
# directory, and plain messages. A script's leading comment is its --help.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program="script/$(basename "$0")"

fail() {
  printf '%s: %s\n' "$program" "$*" >&2
  exit 1
}

# Call as: print_help_if_asked "$@"
print_help_if_asked() {
  local argument
  for argument in "$@"; do
    case "$argument" in
      -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "script/$(basename "$0")"
        exit 0
        ;;
      --) return ;;
    esac
  done
}
