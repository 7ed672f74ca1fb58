internal import FoundationEssentials
internal import Synchronization

final class SignInRecords: Sendable {
    private static let pauseAfterError = Duration.seconds(60)

    private let store: any SessionStore
    private let clock: any IdentityClock
    private let interval: Duration?
    /// For each session, the time of the monotonic clock until which this process stores no further use.
    ///
    /// If the table evicts a session, its next use costs one more read of the store.
    private let pausedUntil = Mutex(BoundedTable<SessionID, Duration>(maximum: 10_000))

    init(_ store: any SessionStore, clock: any IdentityClock, interval: Duration?) {
        self.store = store
        self.clock = clock
        self.interval = interval
    }

    /// Stores the browser of a new session; ignores an error of the store, because the sign-in must not fail for this reason.
    func storeBrowser(of id: SessionID) async {
        guard let browser = BuyerBrowser.current else { return }
        _ = try? await store.setAttachment(
            SignInRecord.name,
            to: SignInRecord(browser: browser).secret,
            of: id,
            expecting: nil
        )
    }

    /// The record about a session's sign-in; an empty record if the stored record is missing or damaged.
    ///
    /// A damaged record must not hide a sign-in from the list in which the buyer ends sign-ins.
    func record(of id: SessionID) async throws -> SignInRecord {
        do {
            return try await store.attachment(SignInRecord.name, of: id).flatMap { SignInRecord($0.payload) }
                ?? SignInRecord()
        } catch let error as IdentityError where error.concernsRecord {
            return SignInRecord()
        }
    }

    /// Stores the current time as the session's last use, at most once in each `interval`.
    ///
    /// An error of the store is ignored, because the request that uses the session must not fail for this reason. After an error, the next
    /// attempt waits up to a minute, because a store that fails slowly must not delay every request.
    func noteUse(of session: Session) async {
        guard let interval, isDue(session, interval) else { return }
        do {
            try await storeUse(of: session.id, interval)
        } catch {
            pause(session.id, for: min(interval, Self.pauseAfterError))
        }
    }

    private func storeUse(of id: SessionID, _ interval: Duration) async throws {
        let stored = try await store.attachment(SignInRecord.name, of: id)
        var record = stored.flatMap { SignInRecord($0.payload) } ?? SignInRecord()
        // Another process may have stored a use within the interval. A time in the future comes from a wrong clock, so it is replaced.
        if let usedAt = record.usedAt, (0..<interval.timeInterval).contains(clock.now.timeIntervalSince(usedAt)) {
            return
        }
        record.usedAt = clock.now
        _ = try await store.setAttachment(SignInRecord.name, to: record.secret, of: id, expecting: stored?.revision)
    }

    private func isDue(_ session: Session, _ interval: Duration) -> Bool {
        guard clock.now.timeIntervalSince(session.createdAt) >= interval.timeInterval else { return false }
        let now = clock.elapsed
        return pausedUntil.withLock { pauses in
            if let end = pauses[session.id], now < end { return false }
            pauses.insert(now + interval, for: session.id) { $0 <= now }
            return true
        }
    }

    private func pause(_ id: SessionID, for pause: Duration) {
        let now = clock.elapsed
        pausedUntil.withLock { pauses in pauses.insert(now + pause, for: id) { $0 <= now } }
    }
}

/// The content of a session's attachment about the sign-in: the browser that signed in, and when the session was last used.
struct SignInRecord: Sendable {
    static let name = "sign-in"

    var browser: BuyerBrowser?
    var usedAt: Date?
}

extension SignInRecord {
    init?(_ secret: Secret) {
        guard let value = try? JSONValue(parsing: secret.revealBytes()), value.object != nil else { return nil }
        let browser = BuyerBrowser(address: value["address"]?.string, userAgent: value["user_agent"]?.string)
        self.init(browser: browser.isEmpty ? nil : browser, usedAt: value["used_at"]?.date)
    }

    var secret: Secret {
        var object = JSONObject()
        object.append("address", browser?.address.map { .string($0) })
        object.append("user_agent", browser?.userAgent.map { .string($0) })
        object.append("used_at", usedAt.map { .date($0) })
        return Secret(bytes: JSONValue.object(object).serialized)
    }
}
