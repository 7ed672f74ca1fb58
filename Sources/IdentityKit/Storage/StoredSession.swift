public import FoundationEssentials

/// A session as a store keeps it: what it may index in the clear, and a payload to seal.
public struct StoredSession: Sendable {
    /// The session's id.
    public var id: SessionID
    /// The name of the provider that made it.
    public var provider: String
    /// The tenant it belongs to, empty where the app has one only.
    public var tenant: String
    /// The buyer's issuer.
    public var issuer: String
    /// The buyer's subject at the issuer; personal data, which a store indexes by a keyed hash only.
    public var subject: String
    /// The provider's own name for the session (`sid`), where it has one; a store indexes it by a keyed hash only.
    public var providerSessionID: String?
    /// Counts the replacements; begins at ``firstGeneration``.
    public var generation: Int64
    /// When the session began.
    public var createdAt: Date
    /// When a sweep may remove it.
    public var retainedUntil: Date
    /// Whether a renewal is under way or ended without a known outcome; a store keeps it in the clear, so that a repair finds it.
    public var isUnsettled: Bool
    /// Whether it came back with a backup: its refresh token may have been spent since.
    ///
    /// Set by a store that reads it, and gone with the next save.
    public var isRestored: Bool
    /// The token set and the session's state, to be sealed.
    public var payload: Secret

    /// Where generations begin: high enough that the stored width never changes, so that a row is overwritten in place.
    public static let firstGeneration: Int64 = 1 << 40

    /// Creates a stored session.
    public init(
        id: SessionID,
        provider: String,
        tenant: String,
        issuer: String,
        subject: String,
        providerSessionID: String? = nil,
        generation: Int64 = StoredSession.firstGeneration,
        createdAt: Date,
        retainedUntil: Date,
        isUnsettled: Bool = false,
        isRestored: Bool = false,
        payload: Secret
    ) {
        self.id = id
        self.provider = provider
        self.tenant = tenant
        self.issuer = issuer
        self.subject = subject
        self.providerSessionID = providerSessionID
        self.generation = generation
        self.createdAt = createdAt
        self.retainedUntil = retainedUntil
        self.isUnsettled = isUnsettled
        self.isRestored = isRestored
        self.payload = payload
    }
}

/// What was there when a session was removed.
public struct RemovedSession: Sendable {
    /// The session.
    public var session: StoredSession
    /// Everything that was attached to it, by name.
    public var attachments: [String: Secret]

    /// Creates a value.
    public init(session: StoredSession, attachments: [String: Secret]) {
        self.session = session
        self.attachments = attachments
    }
}

/// Which sessions to list; every part that is nil matches all.
public struct SessionFilter: Sendable {
    /// The provider's name.
    public var provider: String?
    /// The tenant.
    public var tenant: String?
    /// The buyer, by issuer and subject.
    public var buyer: (issuer: String, subject: String)?
    /// The provider's own name for the session.
    public var providerSessionID: String?
    /// Whether a renewal is under way or ended without a known outcome.
    public var isUnsettled: Bool?

    /// A filter that matches every session.
    public init(
        provider: String? = nil,
        tenant: String? = nil,
        buyer: (issuer: String, subject: String)? = nil,
        providerSessionID: String? = nil,
        isUnsettled: Bool? = nil
    ) {
        self.provider = provider
        self.tenant = tenant
        self.buyer = buyer
        self.providerSessionID = providerSessionID
        self.isUnsettled = isUnsettled
    }

    /// Whether a session matches, texts compared as bytes.
    public func matches(_ session: StoredSession) -> Bool {
        provider.map { $0.isIdentical(to: session.provider) } ?? true
            && tenant.map { $0.isIdentical(to: session.tenant) } ?? true
            && buyer.map { $0.issuer.isIdentical(to: session.issuer) && $0.subject.isIdentical(to: session.subject) }
                ?? true
            && providerSessionID.map { session.providerSessionID?.isIdentical(to: $0) ?? false } ?? true
            && isUnsettled.map { $0 == session.isUnsettled } ?? true
    }
}

/// A pending login as a store keeps it.
public struct StoredLoginAttempt: Sendable {
    /// A hash of the `state`, so that the store's content is no use to anybody who reads it.
    public var key: String
    /// The tenant it belongs to, empty where the app has one only; a flood of logins at one costs the others nothing.
    public var tenant: String
    /// When it stops being good.
    public var expiresAt: Date
    /// The attempt, to be sealed.
    public var payload: Secret

    /// Creates a value.
    public init(key: String, tenant: String = "", expiresAt: Date, payload: Secret) {
        self.key = key
        self.tenant = tenant
        self.expiresAt = expiresAt
        self.payload = payload
    }
}

/// Something attached to a session.
public struct SessionAttachment: Sendable {
    /// What was attached.
    public var payload: Secret
    /// Counts the changes, for compare-and-set.
    public var revision: Int64

    /// Creates a value.
    public init(payload: Secret, revision: Int64) {
        self.payload = payload
        self.revision = revision
    }
}
