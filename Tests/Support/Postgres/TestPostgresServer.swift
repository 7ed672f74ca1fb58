internal import FoundationEssentials
package import IdentityKit
internal import IdentityPlatform
package import TestProcesses

/// A private PostgreSQL server in a temporary directory, on a loopback port and a Unix socket.
///
/// A shell controls the server and reads commands from a pipe. When this process ends, also after a crash, the pipe closes, and the shell
/// stops the server and removes the directory. PostgreSQL refuses to run as root, so for root the server runs as another user.
package actor TestPostgresServer {
    package struct Failure: Error {
        let text: String

        package init(text: String) {
            self.text = text
        }
    }

    package static let user = "tester"
    package static let password = "p4ss-w0rd-of-the-tests"

    /// The directory of the server's programs; nil if they are not installed.
    package static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
        return (folders + ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]).first { folder in
            ["initdb", "postgres", "pg_ctl"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
            }
        }
    }()

    /// Whether the tests can use a server: its programs are installed, and the build contains the store.
    package static var isAvailable: Bool {
        #if PostgreSQL
        programs != nil
        #else
        false
        #endif
    }

    private static let sharedTask = Task { try await TestPostgresServer.start() }

    /// The server of all tests that do not stop or configure it; each test has its own schema.
    package static var shared: TestPostgresServer { get async throws { try await sharedTask.value } }

    package nonisolated let folder: String
    package nonisolated let port: Int
    private let process: Spawned
    private let lines: LineReader

    private init(folder: String, port: Int, process: Spawned, lines: LineReader) {
        self.folder = folder
        self.port = port
        self.process = process
        self.lines = lines
    }

    deinit {
        close(process.input)
        let process = process
        let lines = lines
        // Waits for the shell, so that no zombie remains; the shell needs a moment to stop the server.
        _ = DedicatedThread.start {
            _ = process.wait()
            lines.end()
            close(process.errors)
        }
    }

    // MARK: Starting

    package static func start(settings: [String] = []) async throws -> TestPostgresServer {
        guard let programs else { throw Failure(text: "PostgreSQL's server programs are not installed") }
        var last = ""
        for _ in 0..<5 {
            // The port is below the ports that Linux assigns to other sockets, because the server needs the same port after a restart.
            let port = Int.random(in: 15_000..<32_000)
            let arguments = ["-c", script, "server", programs, "\(port)", user, password] + settings
            let process = try spawn(arguments)
            let lines = LineReader(process.output)
            last = await lines.next() ?? "the shell ended"
            if last.hasPrefix("ready ") {
                return TestPostgresServer(folder: String(last.dropFirst(6)), port: port, process: process, lines: lines)
            }
            close(process.input)
        }
        throw Failure(text: last)
    }

    package static func spawn(_ arguments: [String]) throws -> Spawned {
        let environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TMPDIR": "/tmp"]
        guard getuid() == 0 else { return try Spawned.start("/bin/sh", arguments, environment) }
        let account = unsafe getpwnam("postgres") ?? getpwnam("nobody")
        guard let account = unsafe account else {
            throw Failure(text: "there is no other user that can run the server")
        }
        let (user, group) = unsafe (account.pointee.pw_uid, account.pointee.pw_gid)
        let change = ["--reuid=\(user)", "--regid=\(group)", "--clear-groups", "/bin/sh"]
        return try Spawned.start("/usr/bin/setpriv", change + arguments, environment)
    }

    /// The shell that controls the server: it prints `ok` or `failed` after each command.
    private static let script = """
        programs=$1 port=$2 user=$3 password=$4
        shift 4
        cd /tmp
        folder=$(mktemp -d) || exit 1
        trap 'finish' EXIT
        trap 'exit 1' HUP INT TERM
        finish() {
            [ -f "$folder/data/postmaster.pid" ] && kill -CONT "$(head -1 "$folder/data/postmaster.pid")" 2>/dev/null
            "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1
            rm -rf "$folder"
        }
        run() {
            "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 start >/dev/null 2>&1 </dev/null
        }
        printf '%s\\n' "$password" >"$folder/password"
        "$programs/initdb" -D "$folder/data" -U "$user" --pwfile="$folder/password" --auth-local=trust \\
            --auth-host=scram-sha-256 -E UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1 || {
            echo "initdb failed: $(tail -1 "$folder/initdb.log")"
            exit 1
        }
        cat >>"$folder/data/postgresql.conf" <<END
        listen_addresses = '127.0.0.1'
        port = $port
        unix_socket_directories = '$folder'
        max_connections = 200
        shared_buffers = 32MB
        END
        for line in "$@"; do printf '%s\\n' "$line" >>"$folder/data/postgresql.conf"; done
        run || { echo "the server does not start: $(tail -3 "$folder/log" | tr '\\n' ' ')"; exit 1; }
        echo "ready $folder"
        while read -r command argument; do
            case "$command" in
            start) run ;;
            stop) "$programs/pg_ctl" -D "$folder/data" -m "$argument" -w -t 60 stop >/dev/null 2>&1 ;;
            signal)
                main=$(head -1 "$folder/data/postmaster.pid")
                kill -"$argument" "$main" $(ps -o pid= --ppid "$main")
                ;;
            reload) kill -HUP "$(head -1 "$folder/data/postmaster.pid")" ;;
            certify)
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout "$folder/ca.key" \\
                    -out "$folder/ca.pem" 2>/dev/null &&
                    openssl req -newkey rsa:2048 -nodes -subj /CN=server -keyout "$folder/data/server.key" \\
                        -out "$folder/server.csr" 2>/dev/null &&
                    printf 'subjectAltName=%s\\n' "$argument" >"$folder/names" &&
                    openssl x509 -req -in "$folder/server.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial \\
                        -days 2 -extfile "$folder/names" -out "$folder/data/server.crt" 2>/dev/null &&
                    chmod 600 "$folder/data/server.key" && chmod 755 "$folder" && chmod 644 "$folder/ca.pem" &&
                    echo 'ssl = on' >>"$folder/data/postgresql.conf"
                ;;
            append) printf '%s\\n' "$argument" >>"$folder/data/postgresql.conf" ;;
            esac && echo ok || echo failed
        done
        """

    // MARK: Commands

    /// Sends a command to the shell and waits for its result.
    package func command(_ text: String) async throws {
        let bytes = Array("\(text)\n".utf8)
        guard unsafe write(process.input, bytes, bytes.count) == bytes.count else { throw Failure(text: "no shell") }
        let answer = await lines.next()
        guard answer == "ok" else { throw Failure(text: "\(text): \(answer ?? "the shell ended")") }
    }

    package func restart() async throws {
        try await command("stop fast")
        try await command("start")
    }

    // MARK: Connection strings

    /// The connection string for the Unix socket, without a password.
    package nonisolated func local(database: String = "postgres") -> Secret {
        Secret("postgresql://\(Self.user)@/\(database)?host=\(folder)&port=\(port)")
    }

    /// The connection string for the loopback port.
    package nonisolated func network(
        database: String = "postgres",
        password: String = TestPostgresServer.password,
        parameters: String = ""
    ) -> Secret {
        Secret("postgresql://\(Self.user):\(password)@127.0.0.1:\(port)/\(database)\(parameters)")
    }
}
