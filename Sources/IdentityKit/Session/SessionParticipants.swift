internal import Synchronization

final class SessionParticipants: Sendable {
    private struct State {
        var boxes: [ParticipantBox] = []
        /// The sessions that a background task is reporting to the participants, each with the next value to report.
        ///
        /// The next value is nil while the task reports the newest value.
        var waiting: [SessionID: Session?] = [:]
        /// The sessions for which `sessionNeedsLogin` was called, each with its generation at that time.
        ///
        /// If the table evicts a session, `sessionNeedsLogin` may be called a second time.
        var needingLogin = BoundedTable<SessionID, Int64>(maximum: 10_000)
    }

    /// The session whose refresh this task is reporting to a participant; calls that the participant makes inherit the value.
    @TaskLocal private static var notified: SessionID?

    private let visible: VisibleSessions
    private let clock: any IdentityClock
    private let events: EventSource
    private let state = Mutex(State())
    private let background: BackgroundWork
    private let longestWait: Duration

    init(
        _ visible: VisibleSessions,
        clock: any IdentityClock,
        events: EventSource,
        background: BackgroundWork,
        longestWait: Duration
    ) {
        self.visible = visible
        self.clock = clock
        self.events = events
        self.background = background
        self.longestWait = longestWait
    }

    func add(_ participant: any SessionParticipant) {
        state.withLock { $0.boxes.append(ParticipantBox(participant: participant)) }
    }

    private var all: [any SessionParticipant] {
        state.withLock { state in
            state.boxes.removeAll { $0.participant == nil }
            return state.boxes.compactMap(\.participant)
        }
    }

    /// Notifies the participants in the background that a session has new tokens after a refresh or a step-up.
    ///
    /// If the session is refreshed several times during a notification, only the newest refresh is reported next. If a participant
    /// refreshes the session during its notification, this refresh is not reported: with short-lived tokens, each report could cause a
    /// refresh.
    func notifyRefreshed(_ session: Session) {
        // If the new tokens cannot be saved, the session may end a second time with the same generation. This end must also be reported.
        state.withLock { $0.needingLogin.remove(session.id) }
        guard !all.isEmpty, Self.notified != session.id else { return }
        guard state.withLock({ $0.waiting.updateValue(session, forKey: session.id) == nil }) else { return }
        let id = session.id
        background.start { [self] in
            while let next = nextRefreshed(id) {
                await Self.$notified.withValue(id) { await notify(next) { try await $0.sessionRefreshed($1) } }
            }
        }
    }

    /// Notifies the participants in the background if the provider has ended the session; normally once for each generation.
    func notifyNeedsLogin(of ended: StoredSession) {
        guard !all.isEmpty else { return }
        let id = ended.id
        let isKnown = state.withLock { state in
            defer { state.needingLogin.insert(ended.generation, for: id) }
            return state.needingLogin[id] == ended.generation
        }
        guard !isKnown else { return }
        background.start { [self] in
            guard let found = try? await visible.load(id).decoded(), let end = found.state.endReason, end != .guest
            else { return state.withLock { $0.needingLogin.remove(id) } }
            await notify(found.session) { try await $0.sessionNeedsLogin($1) }
        }
    }

    private func nextRefreshed(_ id: SessionID) -> Session? {
        state.withLock { state in
            guard let next = state.waiting[id] ?? nil else {
                state.waiting[id] = nil
                return nil
            }
            state.waiting.updateValue(nil, forKey: id)
            return next
        }
    }

    /// Notifies the participants that a session has ended, and returns their errors.
    ///
    /// After `longestWait`, or if this task is cancelled, returns one error instead; the participants then continue in the background.
    func notifyEnded(_ ended: LoggedOutSession, since started: Duration) async -> [IdentityError] {
        guard !all.isEmpty else { return [] }
        return await background.run(waitingUpTo: longestWait) { [self] in
            await notify(ended.session, since: started) {
                try await $0.sessionEnded($1, attachments: ended.attachments)
            }
        } ?? [Self.stillRunning]
    }

    private static var stillRunning: IdentityError {
        IdentityError(
            .retryLater,
            .providerUnavailable,
            "The session has ended, but its participants, such as the cart, have not finished their work yet.",
            hint: """
                Call drain() before the process ends, because the participants' work continues in the background. If a participant fails, \
                an event `participant_failed` follows.
                """
        )
    }

    @discardableResult
    private func notify(
        _ session: Session,
        since started: Duration? = nil,
        _ message: (any SessionParticipant, Session) async throws -> Void
    ) async -> [IdentityError] {
        let started = started ?? clock.elapsed
        var problems: [IdentityError] = []
        for participant in all {
            do {
                try await message(participant, session)
            } catch {
                let problem = IdentityError.wrapping(error)
                problems.append(problem)
                events.emit(
                    .participantFailed(problem.code),
                    provider: session.provider,
                    session: session.id,
                    since: started
                )
            }
        }
        return problems
    }
}

/// Holds a participant weakly, because the participant usually holds the manager strongly.
private struct ParticipantBox: Sendable {
    weak let participant: (any SessionParticipant)?
}
