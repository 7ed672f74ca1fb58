import Foundation
import IdentityPlatform
import TestDirectories

@testable import IdentityHTTP

/// `openssl s_server` with a certificate that is created for the test.
final class TLSServer: Sendable {
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first(
        where: FileManager.default.isExecutableFile(atPath:)
    )

    struct Failure: Error {
        let step: String
    }

    /// The PEM file of the authority that signed the server's certificate.
    var authorityFile: String { folder + "/ca.pem" }
    let port: Int
    /// The descriptor for the requests and responses of an interactive server; -1 for other servers.
    let channel: Int32
    private let directory: TemporaryDirectory
    private var folder: String { directory.path }
    private let process: pid_t

    /// `names` is the certificate's `subjectAltName`, and `options` are further options of `s_server`.
    ///
    /// With the option `-HTTP`, the server responds with the content of files that ``write(_:to:)`` writes. With `isInteractive`, the test
    /// responds through ``channel``.
    init(
        names: String = "IP:127.0.0.1,DNS:localhost",
        isExpired: Bool = false,
        options: [String] = [],
        isInteractive: Bool = false
    ) async throws {
        let directory = try TemporaryDirectory("tls")
        self.directory = directory
        // Waits on a dedicated thread and not on a thread of the cooperative pool.
        (process, port, channel) = try await withCheckedThrowingContinuation { continuation in
            let started = DedicatedThread.start {
                continuation.resume(
                    with: Result {
                        try TLSServer.makeCertificates(directory.path, names: names, isExpired: isExpired)
                        return try TLSServer.start(directory.path, options, isInteractive)
                    }
                )
            }
            if !started { continuation.resume(throwing: Failure(step: "thread")) }
        }
    }

    deinit {
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
        if channel >= 0 { close(channel) }
    }

    /// Writes a whole response, from the status line, for requests of this path.
    func write(_ response: String, to path: String) throws {
        _ = try directory.write(response, to: path)
    }

    private static func makeCertificates(_ folder: String, names: String, isExpired: Bool) throws {
        try "subjectAltName=\(names)\n".write(toFile: folder + "/names", atomically: true, encoding: .utf8)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        let (authority, leaf) = (folder + "/ca", folder + "/leaf")
        try run(
            ["req", "-x509"] + key
                + ["-keyout", authority + ".key", "-out", authority + ".pem", "-subj", "/CN=Test CA", "-days", "2"]
        )
        try run(["req"] + key + ["-keyout", leaf + ".key", "-out", leaf + ".csr", "-subj", "/CN=Test"])
        // With a negative number of days the certificate has already expired.
        try run([
            "x509", "-req", "-in", leaf + ".csr", "-CA", authority + ".pem", "-CAkey", authority + ".key",
            "-CAcreateserial", "-out", leaf + ".pem", "-days", isExpired ? "-1" : "2", "-extfile", folder + "/names",
        ])
    }

    private static func start(
        _ folder: String,
        _ options: [String],
        _ isInteractive: Bool
    ) throws -> (pid_t, Int, Int32) {
        var ends: [Int32] = [-1, -1]
        guard pair(&ends) else { throw Failure(step: "socketpair") }
        let arguments =
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", folder + "/leaf.pem", "-key", folder + "/leaf.key",
            ] + (isInteractive || options.contains("-HTTP") ? [] : ["-www"]) + options
        let process = try spawn(arguments, in: folder, input: isInteractive ? ends[1] : nil, output: ends[1])
        close(ends[1])
        // The program prints "ACCEPT 127.0.0.1:PORT" when it listens.
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while !(text.last == 0x0A && String(decoding: text, as: UTF8.self).contains("ACCEPT")) {
            guard unsafe read(ends[0], &byte, 1) == 1 else { throw Failure(step: "s_server") }
            text.append(byte)
        }
        let digits = String(decoding: text, as: UTF8.self).split(separator: ":").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw Failure(step: "port") }
        if !isInteractive { close(ends[0]) }
        return (process, port, isInteractive ? ends[0] : -1)
    }

    private static func pair(_ ends: inout [Int32]) -> Bool {
        unsafe socketpair(AF_UNIX, Platform.streamSocket, 0, &ends) == 0
            && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0
            && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0
    }

    private static func run(_ arguments: [String]) throws {
        var status: Int32 = 0
        let process = try spawn(arguments, in: "/", output: nil)
        guard unsafe waitpid(process, &status, 0) == process, status == 0 else { throw Failure(step: arguments[0]) }
    }

    private static func spawn(
        _ arguments: [String],
        in folder: String,
        input: Int32? = nil,
        output: Int32?
    ) throws -> pid_t {
        guard let openssl else { throw Failure(step: "find") }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if let input { unsafe posix_spawn_file_actions_adddup2(&actions, input, 0) }
        if let output { unsafe posix_spawn_file_actions_adddup2(&actions, output, 1) }
        // The option -HTTP serves files of the working directory, which posix_spawn cannot change everywhere.
        let command = ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder, openssl] + arguments
        var strings = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        var process = pid_t()
        let result = unsafe posix_spawn(&process, "/bin/sh", &actions, nil, &strings, environ)
        guard result == 0 else { throw Failure(step: "spawn") }
        return process
    }
}
