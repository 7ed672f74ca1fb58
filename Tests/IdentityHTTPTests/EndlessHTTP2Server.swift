import Foundation
import IdentityPlatform
import TestDoubles

@testable import IdentityHTTP

/// `openssl s_server` that responds to one HTTP/2 request with 30 MB, in frames that this code writes (RFC 9113
/// section 4.1), so that the test does not depend on the transport's library.
final class EndlessHTTP2Server: Sendable {
    let tls: TLSServer
    /// The number of frames of 16 KiB that the kernel and the program accepted.
    let frames = Counter()

    init() async throws {
        tls = try await TLSServer(options: ["-alpn", "h2"], isInteractive: true)
        // A separate descriptor for the thread, which closes when the program ends, so that the thread does not keep the
        // program alive.
        let (channel, frames) = (dup(tls.channel), frames)
        let started = DedicatedThread.start {
            defer { close(channel) }
            guard Self.awaitRequest(channel) else { return }
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let acknowledged: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
            // The field `:status: 200` is number 8 of HPACK's static table.
            let headers: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
            guard Self.write(settings + acknowledged + headers, to: channel) else { return }
            let data: [UInt8] = [0, 0x40, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 1 << 14)
            while frames.total < 30 << 6, Self.write(data, to: channel) { frames.count() }
        }
        guard started else { throw TLSServer.Failure(step: "thread") }
    }

    /// Reads what the client sends up to its first HEADERS frame.
    private static func awaitRequest(_ descriptor: Int32) -> Bool {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe recv(descriptor, &room, room.count, 0)
            guard count > 0 else { return false }
            bytes += room[..<count]
            // The program first prints the handshake.
            let start = bytes.indices.first { bytes[$0...].starts(with: preface) }
            guard var at = start.map({ $0 + preface.count }) else { continue }
            while at + 9 <= bytes.count {
                if bytes[at + 3] == 1 { return true }
                at += 9 + (Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]))
            }
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe IdentityPlatform.send(descriptor, $0.baseAddress, $0.count, Platform.sendFlags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
