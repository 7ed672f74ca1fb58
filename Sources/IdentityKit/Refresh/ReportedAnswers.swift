internal import FoundationEssentials
internal import Synchronization

/// The errors of stored responses that this process has reported.
final class ReportedAnswers: Sendable {
    private struct Report: Hashable {
        let session: SessionID
        let receivedAt: Date
        let code: IdentityError.Code
    }

    /// A report whose entry is evicted too early is repeated once.
    private static let maximum = 10_000

    private let reports = Mutex<Set<Report>>([])

    /// Records an error of a response.
    ///
    /// - Returns: Whether it is a new one.
    @discardableResult
    func insert(_ code: IdentityError.Code, of answer: RefreshAnswer, for id: SessionID) -> Bool {
        reports.withLock { reports in
            if reports.count >= Self.maximum { reports.removeAll() }
            return reports.insert(Report(session: id, receivedAt: answer.receivedAt, code: code)).inserted
        }
    }
}
