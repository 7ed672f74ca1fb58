internal import FoundationEssentials
internal import Synchronization

/// Which errors of stored answers this process has reported.
final class ReportedAnswers: Sendable {
    private struct Report: Hashable {
        let session: SessionID
        let receivedAt: Date
        let code: IdentityError.Code
    }

    /// A report that is forgotten too early is repeated once.
    private static let maximum = 10_000

    private let reports = Mutex<Set<Report>>([])

    /// Remembers an error of an answer.
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
