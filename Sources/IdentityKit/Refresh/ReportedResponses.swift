internal import FoundationEssentials
internal import Synchronization

/// Remembers which errors in the validation of refresh responses this process has reported to the observers.
final class ReportedResponses: Sendable {
    private struct Report: Hashable {
        let session: SessionID
        let receivedAt: Date
        let code: IdentityError.Code
    }

    /// If an entry is evicted, its error is reported once more.
    private let reports = Mutex(BoundedTable<Report, Void>(maximum: 10_000))

    /// Records an error of a response.
    ///
    /// - Returns: Whether the error was not recorded before.
    func insert(_ code: IdentityError.Code, of response: RefreshResponse, for id: SessionID) -> Bool {
        let report = Report(session: id, receivedAt: response.receivedAt, code: code)
        return reports.withLock { $0.insert(report) }
    }
}
