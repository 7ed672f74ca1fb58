# Sourced by all scripts that build: checks that Swift and the C libraries are installed, or explains how to install them.
# Call need_libraries before run_swift.

need_swift() {
    command -v swift >/dev/null 2>&1 && return 0
    echo "This needs Swift 6.3 or newer: https://www.swift.org/install/linux/" >&2
    exit 2
}

postgresql_packages='apt-get install libpq-dev postgresql'

# Debian packages, each with one of its headers.
system_libraries='
libssl-dev openssl/evp.h
libsqlite3-dev sqlite3.h
libcurl4-openssl-dev curl/curl.h
pkg-config -
'

has_header() {
    printf '#include <%s>\n' "$1" | "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -E -x c - >/dev/null 2>&1
}

missing_libraries() {
    echo "$system_libraries" | while read -r package header; do
        case "$package" in
        '') ;;
        pkg-config) command -v pkg-config >/dev/null 2>&1 || printf '%s ' "$package" ;;
        *) has_header "$header" || printf '%s ' "$package" ;;
        esac
    done
}

# The variable IDENTITYKIT_WITHOUT_POSTGRESQL hides an installed libpq; Tests/Proofs/without-postgres sets it.
has_libpq() {
    [ -z "${IDENTITYKIT_WITHOUT_POSTGRESQL:-}" ] && { has_header postgresql/libpq-fe.h || has_header libpq-fe.h; }
}

# Switches the trait PostgreSQL on where libpq is installed.
need_libraries() {
    install_packages "$(missing_libraries)"
    build_options=''
    if has_libpq; then build_options='--traits PostgreSQL'; fi
    if [ -n "${IDENTITYKIT_BUILD_FOLDER:-}" ]; then build_options="$build_options --scratch-path $IDENTITYKIT_BUILD_FOLDER"; fi
}

# Runs swift build or swift test, always with the same options, so that one build directory serves all scripts.
run_swift() {
    swift_command=$1
    shift
    # shellcheck disable=SC2086 # split the options on purpose
    swift "$swift_command" $build_options "$@"
}

need_python() {
    if ! command -v python3 >/dev/null 2>&1; then install_packages python3; fi
}

# Builds a program in release mode and runs it with the other arguments.
run_release() {
    need_swift
    need_libraries
    run_swift build -c release --product "$1" >&2
    program=$(run_swift build -c release --show-bin-path)/$1
    shift
    exec "$program" "$@"
}

# Builds a program of the package in this folder, the root of the repository, and runs it in the folder of the caller.
#   run_program NAME FOLDER-OF-THE-CALLER [ARGUMENTS]
run_program() {
    program=$1
    caller=$2
    shift 2
    need_swift
    need_libraries
    # A shell comment, because "identity-lab sandbox" prints shell variables on standard error, which users save and source.
    echo "# Building $program (a first build takes a few minutes) …" >&2
    if [ -t 2 ]; then run_swift build --product "$program" >&2; else run_swift build --quiet --product "$program" >&2; fi
    program=$(run_swift build --show-bin-path)/$program
    cd "$caller"
    exec "$program" "$@"
}

# Checks that libpq and the programs of a PostgreSQL server are installed, and installs the programs if it can.
# Returns 1 and prints a message if one of them is missing.
need_postgresql() {
    if ! has_libpq; then
        echo "SKIPPED: everything with PostgreSQL, because libpq is not installed. Switch it on: $postgresql_packages"
        return 1
    fi
    for program in /usr/lib/postgresql/*/bin/initdb /usr/local/pgsql/bin/initdb /usr/local/bin/initdb /usr/bin/initdb; do
        [ -x "$program" ] && return 0
    done
    # In a subshell, because install_service ends the script where it does not install.
    (install_service postgresql) && return 0
    [ -z "${CI:-}" ] || exit 2
    echo "SKIPPED: everything with PostgreSQL, because its server is not installed. Switch it on: $postgresql_packages"
    return 1
}

# Checks that Chromium and its WebDriver program are installed, and installs them from Debian's packages if it can.
# Returns 1 and prints a message if that is not possible. The arguments are the names of further packages, which are also the names of
# their programs.
need_browser() {
    missing=''
    # Debian keeps nginx in /usr/sbin, which is not in every user's PATH.
    find_program() { PATH=$PATH:/usr/sbin command -v "$1" >/dev/null 2>&1; }
    find_program chromium || missing="chromium"
    find_program chromedriver || missing="$missing chromium-driver"
    for program in "$@"; do find_program "$program" || missing="$missing $program"; done
    [ -z "$missing" ] && return 0
    install=install_packages
    case " $missing " in *' nginx '*) install=install_service ;; esac
    # In a subshell, because it ends the script where it does not install.
    if ("$install" "$missing") && command -v chromedriver >/dev/null 2>&1; then return 0; fi
    echo "SKIPPED: the tests with a real browser. Switch them on: apt-get install $missing"
    return 1
}

# Installs packages some of which start a network service when they are installed. With a service manager this is done only in CI, so
# that a check opens no port of a developer's machine.
install_service() {
    if [ -d /run/systemd/system ] && [ -z "${CI:-}" ]; then
        echo "These packages start services, so this script does not install them. Install them if you want to: $1" >&2
        exit 2
    fi
    install_packages "$1"
}

install_packages() {
    missing=$1
    [ -z "$missing" ] && return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "These packages are missing, under their Debian names: $missing" >&2
        echo "Install the development packages of OpenSSL 3, SQLite 3 and libcurl for your system, then run this again." >&2
        exit 2
    fi
    as_root=''
    if [ "$(id -u)" != 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            as_root='sudo -n'
        else
            echo "These system packages are missing. Install them and run this again:" >&2
            echo "  sudo apt-get install $missing" >&2
            exit 2
        fi
    fi
    # A shell comment, as in run_program.
    echo "# Installing system packages: $missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # split the list on purpose
    $as_root apt-get install -y -qq $missing >/dev/null 2>&1 || {
        $as_root apt-get update -qq >/dev/null && $as_root apt-get install -y -qq $missing >/dev/null
    } || {
        echo "apt-get could not install: $missing" >&2
        exit 2
    }
}
