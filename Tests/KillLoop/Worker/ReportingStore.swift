internal import IdentityKit

/// The store, telling of every claim and of every answer that is durable: in between a kill may cost the session.
struct ReportingStore: OrderedStoreWrapper {
    let inner: any OrderedStore

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let isClaim = session.isUnsettled && !session.holdsAnswer
        let name = session.id.rawValue
        // Before the write: a kill in the middle of it may find it written.
        if isClaim { Report.line("claim \(name)") }
        let isReplaced = try await inner.replace(session, expecting: generation)
        // A row that says that its session is over keeps nothing.
        if isReplaced, !isClaim, !session.isOver { Report.line("kept \(name) \(session.generation)") }
        return isReplaced
    }
}

extension StoredSession {
    /// Whether only a new login helps.
    var isOver: Bool {
        (try? JSONValue(parsing: payload.revealBytes()))?["needs_login"]?.bool ?? false
    }

    /// Whether an answer that was not judged yet is in it.
    var holdsAnswer: Bool {
        (try? JSONValue(parsing: payload.revealBytes()))?["answer"] != nil
    }
}
