internal import FoundationEssentials
internal import IdentityKit

/// What must hold all the time (reliability of sessions: never lost, never refreshed twice, never handed to others).
extension World {
    // MARK: What callers get

    func check(
        _ got: SessionTokens,
        for subject: Subject,
        in process: VirtualProcess,
        since started: Duration?
    ) {
        let token = got.tokens.accessToken.reveal()
        guard token.hasPrefix("at.\(subject.family.number).") else {
            return violate("\(name(subject.id)) was handed \(token), a token of another session")
        }
        guard got.session.id == subject.id, got.session.tenant == subject.provider.tenant,
            got.session.provider == subject.provider.rawValue
        else { return violate("\(name(subject.id)) was handed another session's answer") }
        let firstSeen = process.firstSeen[token] ?? scheduler.now
        process.firstSeen[token] = firstSeen
        guard let started, !process.wasStopped(since: started),
            let number = authority.find(token, prefix: "at")?.number, let issuedAt = subject.family.issuedAt[number]
        else { return }
        // Who sees a token for the first time when the clock has been set back since cannot know better than the clock.
        if setBacks.contains(where: { issuedAt - .seconds(15) < $0 && $0 <= firstSeen }) { return }
        let late = started - issuedAt - episode.lifetime
        if late > .seconds(6) { violate("\(name(subject.id)) was handed \(token), which had expired \(late) ago") }
    }

    /// A buyer is told to sign in again: only for a logout, or because the provider said so.
    func checkEnd(of subject: Subject, _ error: IdentityError) {
        if error.code == .sessionUnknown {
            guard !subject.isLoggedOut else { return }
            return violate("\(name(subject.id)) is unknown although nobody logged it out")
        }
        guard let reason = subject.family.revokedBecause, subject.family.refusals > 0 else {
            return violate("\(name(subject.id)) ended although its tokens live: \(error)")
        }
        guard !subject.isReplaced else { return }
        subject.isReplaced = true
        tally.logins[reason, default: 0] += 1
        note("\(name(subject.id)) needs a login: \(reason)")
        addSubject()
    }

    // MARK: What is written

    func check(_ row: StoredSession, replaces old: StoredSession) {
        guard let subject = byID[row.id] else { return }
        if row.generation <= old.generation {
            violate("\(name(row.id)) goes from generation \(old.generation) back to \(row.generation)")
        }
        let family = subject.family
        if family.revokedBecause == nil, family.isUsable(in: old), !family.isUsable(in: row) {
            tally.tokensLost += 1
            violate("\(name(row.id)) lost its refresh token, which was saved and is good")
        }
        if family.isInDoubt, !row.isInDoubt, family.isUsable(in: row) {
            family.isInDoubt = false
            tally.repaired += 1
        }
        if row.holds("\"needs_login\":true"), subject.family.revokedBecause == nil {
            violate("\(name(row.id)) is marked as ended although its tokens live")
        }
    }

    func checkRemoval(of row: StoredSession) {
        guard let subject = byID[row.id] else { return }
        if !subject.isLoggedOut { violate("\(name(row.id)) was removed without a logout") }
    }

    /// After everything: what the provider takes next is what the row has.
    func checkRows() {
        for subject in subjects where !subject.isReplaced && !subject.isLoggedOut {
            guard let row = disk.rows[subject.id] else {
                violate("\(name(subject.id)) has no row")
                continue
            }
            if subject.family.revokedBecause == nil, !subject.family.isUsable(in: row) {
                tally.tokensLost += 1
                violate("\(name(subject.id)) has no token that the provider takes")
            }
        }
    }

    // MARK: What is sent

    /// A request with a refresh token is on its way.
    func checkSend(_ exchange: Exchange, of subject: Subject?) {
        guard let subject else { return }
        let process = exchange.process
        if episode.locking != .none, mutant != .locksNothing, locks.holder(of: subject.id) !== process {
            violate("p\(process.number) sends \(exchange.text) and does not hold the lock of \(name(subject.id))")
        }
        if let row = disk.rows[subject.id], !row.isInDoubt {
            violate("p\(process.number) sends \(exchange.text) and \(name(subject.id)) does not say so on the disk")
        }
        for other in subject.family.exchanges
        where other !== exchange && other.state == .inFlight && !other.process.isDead
            && other.excuse(episode.locking, now: scheduler.now) == nil
        {
            violate(
                "\(exchange.text) is sent by p\(process.number) while p\(other.process.number) waits for its answer"
            )
        }
    }

    /// A spent token came: it may, if nobody could have the answer that it was spent for, or if its sender has died since.
    func checkReplay(_ exchange: Exchange, of subject: Subject?, spentBy earlier: Exchange?) {
        guard let subject else { return }
        guard let earlier else { return violate("\(exchange.text) came, which is older than any that may be in doubt") }
        guard let excuse = excuse(exchange, spentBy: earlier) else {
            tally.familiesRevokedByRace += 1
            return violate(
                "\(exchange.text) came twice, from p\(earlier.process.number) and p\(exchange.process.number) "
                    + "(\(name(subject.id)))"
            )
        }
        tally.excuses[excuse, default: 0] += 1
        if let excess = tally.excess { violate(excess) }
    }

    /// Why a family was revoked because a spent token came.
    func causeOfLoss(_ exchange: Exchange, spentBy earlier: Exchange?) -> String {
        earlier.flatMap { excuse(exchange, spentBy: $0)?.rawValue } ?? "race"
    }

    private func excuse(_ exchange: Exchange, spentBy earlier: Exchange) -> Excuse? {
        if let excuse = earlier.excuse(episode.locking, now: scheduler.now) { return excuse }
        // It was sent first, arrived last, and nobody waits for its answer any more.
        return exchange.process.isDead ? .crash : nil
    }

    /// The store has called a row durable.
    func noteSaved(_ row: StoredSession) { note(row) { $0.isSaved = true } }

    /// A spool has called tokens durable.
    func noteSpooled(_ row: StoredSession) { note(row) { $0.isSpooled = true } }

    private func note(_ row: StoredSession, _ mark: (Exchange) -> Void) {
        guard let family = byID[row.id]?.family else { return }
        for exchange in family.exchanges {
            if let number = exchange.rotatedTo, row.holds(family.refreshToken(number)) { mark(exchange) }
        }
    }
}
