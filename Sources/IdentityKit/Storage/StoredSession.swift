public import FoundationEssentials

/// A session as `SessionManager` passes it to a store: values for the columns of a table, and a payload to encrypt.
///
/// A store that writes to a disk or a database must encrypt ``id``, ``subject`` and ``providerSessionID``, or hash these values with a
/// key. The store may keep the values for other columns unencrypted.
public struct StoredSession: Sendable {
    /// The session's id.
    public var id: SessionID
    /// The name of the provider.
    public var provider: String
    /// The tenant, empty if the app has only one.
    public var tenant: String
    /// The buyer's issuer.
    public var issuer: String
    /// The buyer's subject at the issuer.
    public var subject: String
    /// The provider's session id (`sid`); nil if the provider sent no `sid`.
    public var providerSessionID: String?
    /// The number of this version of the session, counted from ``firstGeneration``; each saved change has a greater number.
    public var generation: Int64
    /// When the session began.
    public var createdAt: Date
    /// The time after which a sweep, or the store itself, may remove the session.
    public var retainedUntil: Date
    /// Whether a refresh of the session is unfinished: the refresh still runs, its outcome is unknown, or its response is not accepted yet.
    ///
    /// A store keeps the flag unencrypted, so that ``SessionManager/repair()`` can search for sessions with unfinished refreshes.
    public var isInDoubt: Bool
    /// Whether the session was restored from a backup.
    ///
    /// A store sets the flag when it reads a restored session, and clears the flag with the next save. The refresh token of a restored
    /// session may have been used since the backup.
    public var isRestored: Bool
    /// The tokens and the state of the session, which the store must encrypt.
    public var payload: Secret

    /// The first generation.
    ///
    /// The number is so high that all later generations have the same number of bytes. A store can therefore overwrite a session in place.
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
        isInDoubt: Bool = false,
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
        self.isInDoubt = isInDoubt
        self.isRestored = isRestored
        self.payload = payload
    }
}

/// A session that was removed, with its attachments.
public struct RemovedSession: Sendable {
    /// The session that was removed.
    public var session: StoredSession
    /// The attachments of the session, by name.
    public var attachments: [String: Secret]

    /// Creates the result of a removal.
    public init(session: StoredSession, attachments: [String: Secret]) {
        self.session = session
        self.attachments = attachments
    }
}
