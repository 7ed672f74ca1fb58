internal import FoundationEssentials
internal import Synchronization

/// Remembers which errors of stored responses this process has reported to the observers.
final class ReportedResponses: Sendable {
    private struct Report: Hashable {
        let session: SessionID
        let receivedAt: Date
        let code: IdentityError.Code
    }

    /// The maximum number of entries; if an entry is evicted, its error is reported once more.
    private static let maximum = 10_000

    private let reports = Mutex<Set<Report>>([])

    /// Records an error of a response.
    ///
    /// - Returns: Whether the error was not recorded before.
    @discardableResult
    func insert(_ code: IdentityError.Code, of response: RefreshResponse, for id: SessionID) -> Bool {
        reports.withLock { reports in
            if reports.count >= Self.maximum { reports.removeAll() }
            return reports.insert(Report(session: id, receivedAt: response.receivedAt, code: code)).inserted
        }
    }
}
