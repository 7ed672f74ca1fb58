internal import FoundationEssentials
internal import IdentityKit

/// The rules of the simulation about sessions and the results of calls.
///
/// ``AuthorizationServer`` checks the provider's tokens, `World+Calls` that no call hangs, `World+Events` that sessions work at the end.
extension World {
    // MARK: Results of calls

    func check(
        _ got: SessionTokens,
        for subject: Subject,
        in process: VirtualProcess,
        since started: Duration?,
        inCall call: Int
    ) {
        let token = got.tokens.accessToken.reveal()
        defer { note(process, "call \(call) has \(token) \(got.outcome.rawValue)") }
        guard token.hasPrefix("at.\(subject.family.number).") else {
            return violate("\(name(subject.id)) got \(token), a token of another session")
        }
        guard got.session.id == subject.id, got.session.tenant == subject.provider.tenant,
            got.session.provider == subject.provider.rawValue
        else { return violate("\(name(subject.id)) got another session's tokens") }
        let firstSeen = process.firstSeen[token] ?? scheduler.now
        process.firstSeen[token] = firstSeen
        guard let started, !process.wasStopped(since: started),
            let number = server.find(token, prefix: "at")?.number, let issuedAt = subject.family.issuedAt[number]
        else { return }
        // If the clock was set back, a process that sees the token for the first time cannot know its age.
        if setBacks.contains(where: { issuedAt - .seconds(15) < $0 && $0 <= firstSeen }) { return }
        let late = started - issuedAt - episode.lifetime
        if late > .seconds(6) { violate("\(name(subject.id)) got \(token), which had expired \(late) ago") }
    }

    /// Checks that a session ends only after a logout or because the provider ended it.
    func checkEnd(of subject: Subject, _ error: IdentityError) {
        if error.code == .sessionUnknown {
            guard !subject.isLoggedOut else { return }
            return violate("\(name(subject.id)) is unknown although nobody logged it out")
        }
        guard let reason = subject.family.revokedBecause, subject.family.refusals > 0 else {
            return violate("\(name(subject.id)) ended although its tokens are valid: \(error)")
        }
        guard !subject.isReplaced else { return }
        subject.isReplaced = true
        tally.logins[reason, default: 0] += 1
        note("\(name(subject.id)) needs a login: \(reason)")
        addSubject()
    }

    // MARK: Writes

    func check(_ row: StoredSession, replaces old: StoredSession) {
        guard let subject = byID[row.id] else { return }
        if row.generation <= old.generation {
            violate("\(name(row.id)) goes from generation \(old.generation) back to \(row.generation)")
        }
        let family = subject.family
        if family.revokedBecause == nil, family.isUsable(in: old), !family.isUsable(in: row) {
            tally.tokensLost += 1
            violate("\(name(row.id)) lost its refresh token, which was saved and is valid")
        }
        if family.isInDoubt, !row.isInDoubt, family.isUsable(in: row) {
            family.isInDoubt = false
            tally.repaired += 1
        }
        if row.holds("\"state\":\"ended\""), subject.family.revokedBecause == nil {
            violate("\(name(row.id)) is marked as ended although its tokens are valid")
        }
    }

    func checkRemoval(of row: StoredSession) {
        guard let subject = byID[row.id] else { return }
        if !subject.isLoggedOut { violate("\(name(row.id)) was removed without a logout") }
    }

    /// Checks at the end that each row contains a token that the provider accepts.
    func checkRows() {
        for subject in subjects where !subject.isReplaced && !subject.isLoggedOut {
            guard let row = disk.rows[subject.id] else {
                violate("\(name(subject.id)) has no row")
                continue
            }
            if subject.family.revokedBecause == nil, !subject.family.isUsable(in: row) {
                tally.tokensLost += 1
                violate("\(name(subject.id)) has no token that the provider accepts")
            }
        }
    }

    // MARK: Requests

    /// Checks a request with a refresh token when it is sent.
    func checkSend(_ exchange: Exchange, of subject: Subject?) {
        guard let subject else { return }
        let process = exchange.process
        if mutant != .locksNothing, locks.holder(of: subject.id) !== process {
            violate("p\(process.number) sends \(exchange.text) and does not hold the lock of \(name(subject.id))")
        }
        if let row = disk.rows[subject.id], !row.isInDoubt {
            violate(
                "p\(process.number) sends \(exchange.text) and the stored state of \(name(subject.id)) does not say so"
            )
        }
        for other in subject.family.exchanges
        where other !== exchange && other.state == .inFlight && !other.process.hasCrashed
            && other.resendReason(episode.locking, now: scheduler.now) == nil
        {
            violate(
                "\(exchange.text) is sent by p\(process.number) while p\(other.process.number) waits for its response"
            )
        }
    }

    /// Checks a used token that was sent again: permitted if no process can have the response to its first use.
    func checkReplay(_ exchange: Exchange, of subject: Subject?, usedBy earlier: Exchange?) {
        guard let subject else { return }
        guard let earlier else {
            return violate("\(exchange.text) was sent again, and no recorded exchange explains it")
        }
        guard let reason = resendReason(exchange, usedBy: earlier) else {
            tally.familiesRevokedByRace += 1
            return violate(
                "\(exchange.text) was sent twice, by p\(earlier.process.number) and p\(exchange.process.number) "
                    + "(\(name(subject.id)))"
            )
        }
        tally.resends[reason, default: 0] += 1
        if let excess = tally.excess { violate(excess) }
    }

    /// Explains why a used token led to the revocation of a family.
    func causeOfLoss(_ exchange: Exchange, usedBy earlier: Exchange?) -> String {
        earlier.flatMap { resendReason(exchange, usedBy: $0)?.rawValue } ?? "race"
    }

    private func resendReason(_ exchange: Exchange, usedBy earlier: Exchange) -> ResendReason? {
        if let reason = earlier.resendReason(episode.locking, now: scheduler.now) { return reason }
        // This request was sent first and arrived last. Its sender crashed in between.
        return exchange.process.hasCrashed ? .crash : nil
    }

    /// Records that the store confirmed a row as durable.
    func noteSaved(_ row: StoredSession) { note(row) { $0.isSaved = true } }

    /// Records that a spool confirmed tokens as durable.
    func noteSpooled(_ row: StoredSession) { note(row) { $0.isSpooled = true } }

    private func note(_ row: StoredSession, _ mark: (Exchange) -> Void) {
        guard let family = byID[row.id]?.family else { return }
        for exchange in family.exchanges {
            if let number = exchange.rotatedTo, row.holds(family.refreshToken(number)) { mark(exchange) }
        }
    }
}
