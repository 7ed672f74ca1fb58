#if PostgreSQL
internal import CIdentityPostgres
internal import FoundationEssentials
internal import IdentityKit

/// The servers to which ``connect()`` tries to connect, one after the other, and the options of each connection.
struct ConnectionPlan: Sendable {
    /// The servers, each as libpq's connection keywords and their values.
    let hosts: [[String: Secret]]
    /// Whether a server that accepts no writes is refused.
    let isStrict: Bool
    /// The time limit for connecting to one server.
    let hostLimit: Duration
    /// Statements for a new connection that goes directly to the server; nil behind a pooler.
    let preparations: String?

    /// Reads a connection string; errors never repeat the string, because it may contain the password.
    init(
        _ configuration: PostgresStore.Configuration,
        _ text: Secret,
        listensTo channel: String?,
        isPooled: Bool
    )
        throws
    {
        var given = try Self.parse(text)
        func take(_ name: String) -> String? { given.removeValue(forKey: name).map { $0.reveal() } }
        let names = take("host").map(Self.list)
        let addresses = take("hostaddr").map(Self.list)
        let ports = take("port").map(Self.list) ?? []
        let count = max(names?.count ?? 0, addresses?.count ?? 0)
        guard count > 0, names.map({ $0.count == count }) ?? true, addresses.map({ $0.count == count }) ?? true,
            ports.count <= 1 || ports.count == count
        else {
            throw Self.invalid(
                "it must name at least one server with host or hostaddr. If both are set, both must have the same number of values. "
                    + "A list of several ports must have one port for each server"
            )
        }
        let attributes = take("target_session_attrs") ?? "any"
        guard ["any", "read-write", "primary"].contains(attributes) else {
            throw Self.invalid(
                "its target_session_attrs must be any, read-write or primary, because the store writes",
                hint:
                    "Set target_session_attrs to read-write, or remove target_session_attrs from the connection string."
            )
        }
        isStrict = attributes != "any"
        let limit = try take("connect_timeout").map { text in
            guard let seconds = Int(text) else { throw Self.invalid("its connect_timeout must be a number of seconds") }
            return seconds
        }
        // The hosts are tried one after the other. A call that waits for a connection must have time left for the last host, and then for
        // its statement. The minimum of one second gives a store with a very short `callLimit` enough time to connect.
        let share = count > 1 ? max(.seconds(1), configuration.callLimit / (count + 1)) : configuration.connectLimit
        // Without the limit of one day, a large number would overflow the milliseconds of `poll`.
        hostLimit = limit.flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil } ?? min(configuration.connectLimit, share)
        let mode = take("sslmode")
        let root = take("sslrootcert")
        // Defaults that the connection string can override. With these timeouts, a server that no longer responds is detected within
        // seconds. With the system's timeouts, this can take hours.
        let limitInMilliseconds = max(1_000, Int(configuration.callLimit / .milliseconds(1)))
        for (name, value) in [
            ("application_name", "IdentityKit"), ("gssencmode", "disable"), ("keepalives_idle", "10"),
            ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "\(limitInMilliseconds)"),
        ] where given[name] == nil { given[name] = Secret(value) }
        given["client_encoding"] = Secret("UTF8")
        let shared = given
        hosts = try (0..<count).map { index in
            var keywords = shared
            let name = names?[index] ?? ""
            let address = addresses?[index] ?? ""
            guard !name.isEmpty || !address.isEmpty else { throw Self.invalid("one of its hosts is empty") }
            if !name.isEmpty { keywords["host"] = Secret(name) }
            if !address.isEmpty { keywords["hostaddr"] = Secret(address) }
            if let port = ports.count == 1 ? ports[0] : ports.isEmpty ? nil : ports[index] {
                keywords["port"] = Secret(port)
            }
            let isNear = Self.isOnThisMachine(address.isEmpty ? name : address)
            let security = try Self.security(mode, isNear: isNear, configuration.allowsUnverifiedTLS)
            if let security { keywords["sslmode"] = Secret(security) }
            // libpq permits the system's root certificates only with verify-full, which also checks the host name. Without that check, a
            // certificate that anybody can get for a host of their own would be accepted.
            if let root = root ?? (security == "verify-full" ? Self.systemRoots : nil) {
                keywords["sslrootcert"] = Secret(root)
            }
            return keywords
        }
        let statementLimit = limitInMilliseconds * 2
        preparations =
            isPooled
            ? nil
            : """
            SET statement_timeout = \(statementLimit); SET idle_in_transaction_session_timeout = \(statementLimit + 10_000)\
            \(channel.map { "; LISTEN \($0)" } ?? "")
            """
    }

    /// The `sslmode` for a server; nil leaves the choice to libpq.
    private static func security(_ mode: String?, isNear: Bool, _ allowsUnverified: Bool) throws -> String? {
        if isNear || mode == "verify-full" { return mode }
        guard let mode else { return "verify-full" }
        guard allowsUnverified else {
            throw invalid(
                "its sslmode is not verify-full, although one of its hosts is not a Unix socket, localhost or a loopback address",
                hint:
                    "Set sslmode=verify-full in the connection string. To allow a weaker mode at your own risk, set allowsUnverifiedTLS."
            )
        }
        return mode
    }

    /// The system's root certificates, for `sslrootcert`; nil leaves the choice to libpq, which then reads `~/.postgresql/root.crt`.
    private static var systemRoots: String? {
        // The value "system" of sslrootcert needs libpq 16 or newer.
        if PQlibVersion() >= 160_000 { return "system" }
        let bundle = "/etc/ssl/certs/ca-certificates.crt"
        let own = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".postgresql/root.crt").path
        return FileManager.default.fileExists(atPath: own) || !FileManager.default.fileExists(atPath: bundle)
            ? nil : bundle
    }

    static func isOnThisMachine(_ host: String) -> Bool {
        if host.hasPrefix("/") || host.hasPrefix("@") || host == "::1" || host.lowercased() == "localhost" {
            return true
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func parse(_ text: Secret) throws -> [String: Secret] {
        let bytes = text.revealBytes()
        guard !bytes.isEmpty, !bytes.contains(0) else { throw invalid("it is empty or contains a NUL") }
        let start = unsafe (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            unsafe PQconninfoParse(buffer.baseAddress, nil)
        }
        guard let start = unsafe start else {
            throw invalid("libpq cannot read it as a postgresql:// URL or as a list of keywords and values")
        }
        defer { unsafe PQconninfoFree(start) }
        var given: [String: Secret] = [:]
        var option = unsafe start
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val, unsafe value.pointee != 0 {
                unsafe given[String(cString: keyword)] = Secret(String(cString: value))
            }
            unsafe option += 1
        }
        return given
    }

    private static func invalid(_ reason: String, hint: String? = nil) -> IdentityError {
        IdentityError(
            configuration: "The store's connection string cannot be used: \(reason).",
            hint: hint
                ?? """
                Correct the connection string, for example to postgresql://user@host/database. Documentation/Operating/PostgreSQL.md \
                describes connection strings.
                """
        )
    }
}
#endif
