#if PostgreSQL
import IdentityKit
import Testing

@testable import IdentityPostgres

@Suite("Connection strings")
struct ConnectionStringTests {
    private func hosts(
        _ text: String,
        _ change: (inout PostgresStore.Configuration) -> Void = { _ in }
    ) throws -> [[String: String]] {
        var configuration = PostgresStore.Configuration(connection: Secret(text), key: try TestSchema.key())
        change(&configuration)
        let plan = try ConnectionPlan(configuration, configuration.connection, listensTo: nil, isPooled: false)
        return plan.hosts.map { host in host.mapValues { $0.reveal() } }
    }

    @Test(
        "connection strings require a verified server certificate on every other machine",
        arguments: [
            ("db.example", "verify-full"), ("10.0.0.1", "verify-full"), ("128.0.0.1", "verify-full"),
            ("127.0.0.1.example", "verify-full"), ("localhost.example", "verify-full"), ("127.1", "verify-full"),
            ("127.0.0.1", nil), ("127.8.9.10", nil), ("localhost", nil), ("[::1]", nil), ("%2Frun%2Fpg", nil),
        ]
    )
    func verification(host: String, mode: String?) throws {
        #expect(try hosts("postgresql://u@\(host)/d").map { $0["sslmode"] } == [mode])
    }

    @Test("connection strings set the TLS mode for each host, by its address if there is one")
    func several() throws {
        let found = try hosts("host=localhost,db.example port=1,2 dbname=d")
        #expect(found.map { $0["sslmode"] } == [nil, "verify-full"])
        #expect(found.map { $0["port"] } == ["1", "2"])
        #expect(try hosts("host=localhost hostaddr=10.0.0.1").map { $0["sslmode"] } == ["verify-full"])
    }

    @Test(
        "connect_timeout applies to each of several hosts; without it each host gets a share of the call's time limit"
    )
    func hostLimit() throws {
        for (text, limit) in [
            ("", Duration.seconds(2)), (" connect_timeout=10", .seconds(10)),
            (" connect_timeout=\(Int.max)", .seconds(86_400)),
        ] {
            var configuration = PostgresStore.Configuration(
                connection: Secret("host=localhost,localhost dbname=d\(text)"),
                key: try TestSchema.key()
            )
            configuration.callLimit = .seconds(6)
            let plan = try ConnectionPlan(configuration, configuration.connection, listensTo: nil, isPooled: false)
            #expect(plan.hostLimit == limit)
        }
    }

    @Test("connection strings with a weaker TLS mode are refused unless allowsUnverifiedTLS is set")
    func weaker() throws {
        for mode in ["disable", "prefer", "require", "verify-ca"] {
            let error = #expect(throws: IdentityError.self) {
                try hosts("postgresql://u:pw@db.example/d?sslmode=\(mode)")
            }
            #expect(error?.kind == .configuration)
            let found = try hosts("postgresql://u:pw@db.example/d?sslmode=\(mode)") { $0.allowsUnverifiedTLS = true }
            #expect(found.map { $0["sslmode"] } == [mode])
            #expect(found.map { $0["sslrootcert"] } == [nil])
        }
        // allowsUnverifiedTLS does not weaken the default mode.
        let silent = try hosts("postgresql://u@db.example/d") { $0.allowsUnverifiedTLS = true }
        #expect(silent.map { $0["sslmode"] } == ["verify-full"])
    }

    @Test(
        "unusable connection strings are refused, and errors do not repeat them",
        arguments: [
            "", "s3cret", "postgresql://u:s3cret@/d", "postgresql://u:s3cret@h/d?nonsense=s3cret",
            "host=a,b port=1,2,3 password=s3cret", "host=a,,b password=s3cret", "host='a password=s3cret",
            "host=a password=s3cret\u{0}", "postgresql://u:s3cret@h:port/d?target_session_attrs=standby",
            "mysql://u:s3cret@h/d", "postgresql://u:s3cret@h/d?connect_timeout=5s3cret",
        ]
    )
    func malformed(text: String) throws {
        let error = try #require(throws: IdentityError.self) { try hosts(text) }
        #expect(error.code == .configurationInvalid && error.kind == .configuration)
        #expect(!String(reflecting: error).contains("s3cret"))
    }

    @Test("the TCP timeouts for a server that does not respond have defaults, which the connection string can replace")
    func keepalive() throws {
        let found = try #require(try hosts("postgresql://u@h/d?keepalives_idle=77").first)
        #expect(found["keepalives_idle"] == "77" && found["tcp_user_timeout"] == "5000")
    }

    @Test("a configuration with a value out of range is refused")
    func configuration() throws {
        let changes: [(inout PostgresStore.Configuration) -> Void] = [
            { $0.schema = "Robert'); DROP" }, { $0.schema = "" }, { $0.slotSize = 100 }, { $0.maximumConnections = 0 },
            { $0.locking = .lease(.seconds(16)) }, { $0.locking = .lease(.seconds(5)) }, { $0.callLimit = .zero },
            {
                $0.locking = .advisory
                $0.usesTransactionPooler = true
            },
        ]
        for change in changes {
            var configuration = PostgresStore.Configuration(connection: Secret("x"), key: try TestSchema.key())
            change(&configuration)
            let error = #expect(throws: IdentityError.self) { try configuration.check() }
            #expect(error?.code == .configurationInvalid)
        }
    }

    @Test(
        "each error code of the server becomes an error with a hint",
        arguments: [
            ("53100", IdentityError.Code.storeFull, IdentityError.Kind.retryLater),
            ("53300", .storeUnavailable, .retryLater), ("57P01", .storeUnavailable, .retryLater),
            ("57P03", .storeUnavailable, .retryLater), ("08006", .storeUnavailable, .retryLater),
            ("25006", .storeReadOnly, .retryLater), ("40001", .storeBusy, .retryLater),
            ("40P01", .storeBusy, .retryLater), ("57014", .storeBusy, .retryLater), ("55P03", .storeBusy, .retryLater),
            ("28P01", .configurationInvalid, .configuration), ("28000", .configurationInvalid, .configuration),
            ("3D000", .configurationInvalid, .configuration), ("42501", .configurationInvalid, .configuration),
            ("42P01", .storeCorrupt, .configuration), ("XX001", .storeCorrupt, .configuration),
            ("42P07", .configurationInvalid, .configuration), ("25P04", .storeUnavailable, .retryLater),
            ("58030", .storeFailed, .retryLater), ("23514", .storeFailed, .rejected),
            ("ZZZZZ", .storeFailed, .retryLater),
        ]
    )
    func codes(state: String, code: IdentityError.Code, kind: IdentityError.Kind) {
        let error = PostgresFailure(.server(state)).identityError
        #expect(error.code == code && error.kind == kind)
    }

    @Test("a call is repeated after the server ended its transaction at a time limit", arguments: ["25P03", "25P04"])
    func endedTransactions(state: String) {
        #expect(PostgresFailure(.server(state)).isTransient)
    }

    @Test(
        "a TLS handshake that ends early is an outage, and a server that cannot be verified is a fault of the configuration",
        arguments: [
            ("SSL SYSCALL error: Connection reset by peer", PostgresFailure.Reason.unreachable),
            ("SSL SYSCALL error: EOF detected", .unreachable),
            ("SSL error: unexpected eof while reading", .unreachable),
            ("SSL connection has been closed unexpectedly", .unreachable), ("Connection refused", .unreachable),
            ("SSL error: certificate verify failed", .untrusted),
            ("server does not support SSL, but SSL was required", .untrusted),
            ("SSL SYSCALL error: EOF detected\nSSL error: certificate verify failed", .untrusted),
            ("root certificate file \"/x/ca.pem\" does not exist", .untrusted),
            ("SSL SYSCALL error: EOF detected\nFATAL:  57P03", .server("57P03")),
        ]
    )
    func handshakes(text: String, reason: PostgresFailure.Reason) {
        #expect(ConnectionPlan.reason(in: text + "\n") == reason)
    }

    @Test(
        "the message of a failed statement that can be repeated says why it failed",
        arguments: [
            ("57014", "cancelled the statement"), ("40001", "conflicted with another"),
            ("40P01", "conflicted with another"), ("55P03", "has locked rows or tables of the store"),
        ]
    )
    func busyMessages(state: String, part: String) {
        #expect(PostgresFailure(.server(state)).identityError.message.contains(part))
    }
}
#endif
