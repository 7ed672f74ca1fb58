#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityPlatform
import TestProcesses
import TestPostgres

@testable import IdentityPostgres

/// PgBouncer in transaction mode in front of a server, with two connections to it.
actor Bouncer {
    static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first(
        where: FileManager.default.isExecutableFile(atPath:)
    )

    static var isAvailable: Bool { program != nil }

    nonisolated let connection: Secret
    private let shell: Spawned
    private let lines: LineReader

    private init(connection: Secret, shell: Spawned, lines: LineReader) {
        self.connection = connection
        self.shell = shell
        self.lines = lines
    }

    static func start(before server: TestPostgresServer) async throws -> Bouncer {
        guard let program else { throw TestPostgresServer.Failure(text: "PgBouncer is not installed") }
        let shell = try TestPostgresServer.spawn([
            "-c", script, "bouncer", program, server.folder, "\(server.port)", TestPostgresServer.user,
        ])
        let lines = LineReader(shell.output)
        guard let answer = await lines.next(), answer.hasPrefix("ready ") else {
            throw TestPostgresServer.Failure(text: "PgBouncer does not start")
        }
        let folder = answer.dropFirst(6)
        let text = "postgresql://\(TestPostgresServer.user)@/postgres?host=\(folder)&port=6432"
        return Bouncer(connection: Secret(text), shell: shell, lines: lines)
    }

    func stop() async {
        close(shell.input)
        while await lines.next() != nil {}
        _ = shell.wait()
        lines.end()
        close(shell.errors)
    }

    /// The shell ends when its standard input is closed, and then stops PgBouncer.
    private static let script = """
        program=$1 target=$2 port=$3 user=$4
        folder=$(mktemp -d) || exit 1
        trap 'kill "$process" 2>/dev/null; rm -rf "$folder"' EXIT
        printf '"%s" ""\\n' "$user" >"$folder/users"
        cat >"$folder/settings" <<END
        [databases]
        postgres = host=$target port=$port user=$user
        [pgbouncer]
        listen_addr =
        unix_socket_dir = $folder
        listen_port = 6432
        auth_type = trust
        auth_file = $folder/users
        pool_mode = transaction
        default_pool_size = 2
        logfile = $folder/log
        END
        chmod 755 "$folder"
        "$program" -q "$folder/settings" >/dev/null 2>&1 </dev/null &
        process=$!
        for _ in $(seq 1200); do
            [ -S "$folder/.s.PGSQL.6432" ] && break
            sleep 0.05
        done
        echo "ready $folder"
        while read -r _; do :; done
        """
}
#endif
