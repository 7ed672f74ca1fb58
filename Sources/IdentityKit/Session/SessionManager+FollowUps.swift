internal import Synchronization

/// What participants still have to be told, at most one run per session at a time.
struct FollowUps: Sendable {
    /// The newest session that nobody has been told of; nil while the newest is being told.
    var waiting: [SessionID: Session?] = [:]
    var serial = 0
    /// The sessions of whose end by the provider the participants have been told.
    var needingLogin: Set<SessionID> = []

    /// The session whose participants are being told, for everything that they cause.
    @TaskLocal static var told: SessionID?
}

extension SessionManager {
    /// Lets carts and others follow without making the callers wait.
    ///
    /// A refresh that comes while they follow an earlier one is told to them afterwards: none is lost, and the newest is last.
    /// One that they caused themselves is not: they have its tokens, and with tokens that live shorter than the validity
    /// that they ask for, a notification would refresh, and a refresh notify, for ever.
    func follow(_ session: Session) {
        guard !participants.isEmpty, FollowUps.told != session.id else { return }
        let run: Int? = followUps.withLock { state in
            guard state.waiting.updateValue(session, forKey: session.id) == nil else { return nil }
            state.serial += 1
            return state.serial
        }
        guard let run else { return }
        let id = session.id
        followUpRuns.start(run) { [self] in
            while let next = nextFollowUp(id) {
                await FollowUps.$told.withValue(id) { await tell(next) { try await $0.sessionRefreshed($1) } }
            }
            return true
        }
    }

    /// Tells carts, caches and others that the provider has ended a session, without making the caller wait.
    func followEnd(of id: SessionID) {
        guard !participants.isEmpty else { return }
        let run: Int? = followUps.withLock { state in
            if state.needingLogin.count >= Self.maximumNeedingLogin { state.needingLogin = [] }
            guard state.needingLogin.insert(id).inserted else { return nil }
            state.serial += 1
            return state.serial
        }
        guard let run else { return }
        followUpRuns.start(run) { [self] in
            guard let stored = try? await load(id), let state = try? SessionState(stored), let end = state.endReason,
                end != .guest
            else {
                followUps.withLock { _ = $0.needingLogin.remove(id) }
                return true
            }
            await tell(Session(stored, state)) { try await $0.sessionNeedsLogin($1) }
            return true
        }
    }

    /// Of so many sessions it is known that the participants have been told; who is told twice does nothing new.
    private static let maximumNeedingLogin = 10_000

    private func nextFollowUp(_ id: SessionID) -> Session? {
        followUps.withLock { state in
            guard let next = state.waiting[id] ?? nil else {
                state.waiting[id] = nil
                return nil
            }
            state.waiting.updateValue(nil, forKey: id)
            return next
        }
    }

    private func tell(
        _ session: Session,
        _ message: (any SessionParticipant, Session) async throws -> Void
    ) async {
        let started = environment.clock.elapsed
        for participant in participants {
            do {
                try await message(participant, session)
            } catch {
                emit(
                    .participantFailed(IdentityError.code(of: error)),
                    provider: session.provider,
                    session: session.id,
                    since: started
                )
            }
        }
    }
}
