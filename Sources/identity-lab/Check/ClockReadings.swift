internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A transport that compares this machine's clock with the `Date` header of responses (RFC 9110 section 6.6.1).
///
/// A response from an HTTP cache has an old `Date`, so the seconds of its `Age` header are added (RFC 9111 section 5.1).
final class ClockReadings: HTTPTransport {
    /// The difference in seconds from which the check warns; from ``ClockTolerance`` on it fails.
    private static let noticeable = 10.0

    private let inner: any HTTPTransport
    /// For each host, the largest clock difference that a response showed, in seconds; negative if this machine's clock is behind.
    private let readings = Mutex<[String: Double]>([:])

    init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let before = Date()
        let response = try await inner.send(request)
        let after = Date()
        if let date = response.headers.date("Date").map({ Date(timeIntervalSince1970: Double($0)) }) {
            // The server wrote the date between `before` and `after`, without fractions of a second.
            let age = response.headers["Age"].flatMap { Int($0) }.map { Double(min(max($0, 0), 1 << 31)) } ?? 0
            let (low, high) = (before.timeIntervalSince(date) - age - 1, after.timeIntervalSince(date) - age)
            let ahead = low > 0 ? low : min(0, high)
            readings.withLock { if abs(ahead) >= abs($0[request.url.host] ?? 0) { $0[request.url.host] = ahead } }
        }
        return response
    }

    func report(to report: CheckReport) {
        let readings = readings.withLock { $0.sorted { $0.key < $1.key } }
        for (host, ahead) in readings {
            let seconds = Int(abs(ahead).rounded())
            let message =
                "This machine's clock is \(seconds) seconds \(ahead < 0 ? "behind" : "ahead of") the clock of \(host)."
            let hint =
                "Synchronize this machine's clock with NTP, for example with chrony or systemd-timesyncd. If this machine's clock is "
                + "synchronized, ask the operator of \(host) to correct the clock of \(host)."
            switch abs(ahead) {
            case ..<Self.noticeable: report.ok("clock", host, "The clock agrees with the clock of \(host).")
            case ..<ClockTolerance.seconds: report.warn("clock", host, message, hint: hint)
            default:
                report.fail(
                    "clock",
                    host,
                    IdentityError(
                        configuration: message,
                        hint: hint,
                        reference: "RFC 9110 section 6.6.1"
                    )
                )
            }
        }
        if readings.isEmpty {
            report.warn(
                "clock",
                "date",
                "No response had a readable Date header, so the clock was not compared.",
                hint: "Compare the output of \"date -u\" with a reliable clock."
            )
        }
    }
}
