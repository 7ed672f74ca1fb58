internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Sends events to the observers of a client, and remembers the warnings that it reports only once.
final class GraphQLReporter: Sendable {
    private struct Told: Hashable {
        let identifier: String
        let subject: String
    }

    /// When `told` has this size, the reporter empties it, and may then report a warning a second time.
    private static let maximum = 10_000

    private let observers: [any GraphQLObserver]
    private let clock: any IdentityClock
    private let host: String
    private let told = Mutex<Set<Told>>([])

    init(_ observers: [any GraphQLObserver], clock: any IdentityClock, host: String) {
        self.observers = observers
        self.clock = clock
        self.host = host
    }

    func report(
        _ kind: GraphQLEvent.Kind,
        of document: GraphQLDocument,
        _ progress: GraphQLProgress? = nil,
        since start: Duration
    ) {
        guard !observers.isEmpty else { return }
        let event = GraphQLEvent(
            kind: kind,
            operation: document.name,
            identifier: document.identifier,
            host: host,
            requestID: progress?.requestID,
            attempts: progress?.attempts ?? 0,
            duration: clock.elapsed - start,
            correlationID: Correlation.current ?? ""
        )
        for observer in observers { observer.graphQLEvent(event) }
    }

    func reportHeaders(
        of metadata: GraphQLMetadata,
        _ document: GraphQLDocument,
        _ progress: GraphQLProgress,
        since start: Duration
    ) {
        guard !observers.isEmpty else { return }
        if let reason = metadata.deprecatedReason, isNew(document, "deprecated") {
            report(.deprecated(reason), of: document, progress, since: start)
        }
        if metadata.isFallForward, let version = metadata.servedVersion, isNew(document, "version") {
            report(.servedByAnotherVersion(version), of: document, progress, since: start)
        }
    }

    func reportContext(_ context: JSONObject, _ document: GraphQLDocument, since start: Duration) {
        guard !observers.isEmpty else { return }
        let unsent = context.members.map(\.name).filter { !document.contextVariables.contains($0) }
        if !unsent.isEmpty, isNew(document, "context " + unsent.joined(separator: " ")) {
            report(.contextNotSent(unsent), of: document, since: start)
        }
    }

    private func isNew(_ document: GraphQLDocument, _ subject: String) -> Bool {
        told.withLock { told in
            if told.count >= Self.maximum { told = [] }
            return told.insert(Told(identifier: document.identifier, subject: subject)).inserted
        }
    }
}
