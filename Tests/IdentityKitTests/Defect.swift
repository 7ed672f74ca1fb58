import Testing

/// A mistake that stores have made in practice.
enum Defect: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case replacesWithoutComparing = "replaces a session without comparing generations"
    case comparesInDoubles = "stores generations as doubles"
    case refusesChanges = "refuses every change of a stored session or attachment"
    case insertsOver = "lets a second insertion overwrite the first"
    case revives = "lets a late save restore a removed session"
    case removesTwice = "returns a removed session to several callers"
    case forgetsAttachments = "does not return the attachments of a removed session"
    case keepsAttachments = "keeps attachments of a removed session"
    case restartsRevisions = "restarts the revisions of a removed attachment"
    case comparesNoRevision = "changes an attachment without comparing revisions"
    case evictsOthers = "evicts login attempts of other tenants"
    case evictsFirst = "evicts a login attempt before it replaces another one"
    case countsAll = "applies the session limit to all tenants together"
    case takesTwice = "returns a login attempt several times"
    case takesUnchecked = "removes a login attempt that the caller refuses"
    case forgetsDoubt = "does not store the mark of a session in doubt"
    case ignoresDoubt = "does not filter by the mark of a session in doubt"
    case keepsRestored = "does not clear the mark of a restored session"
    case roundsTimes = "rounds times to milliseconds"
    case cutsAtNUL = "cuts payloads at the first NUL"
    case comparesAsText = "compares filter values as Unicode text"
    case joinsBuyers = "compares issuer and subject as one joined string"
    case listsAnyhow = "lists sessions in the order of their ids"
    case listsSome = "lists only the first hundred rows"
    case forgetsTenants = "ignores the tenant when it lists a buyer's sessions"
    case sweepsExact = "sweeps rows that expire exactly at the given time"
    case sweepsRefreshed = "sweeps by the expiry of the first save"
    case marksTwice = "marks a used token several times"
    case locksNothing = "grants a lock to several holders"
    case locksOnlySessions = "locks sessions, but neither attachments nor objects"
    case sharesLocks = "uses the lock of a session for its attachments too"
    case keepsLock = "keeps the lock when the body throws"
    case releasesCancelled = "releases the lock of a cancelled holder while the body runs"
    case throwsUntyped = "throws errors other than IdentityError"
    case saysSignIn = "reports its failures as signInAgain"
    case keepsLoggedIn = "removes no session that has a damaged attachment"
    case trustsOwner = "returns attachments that the table lists with another session"

    var testDescription: String { rawValue }

    /// Parts of the names of the conformance cases that must detect the mistake.
    var caught: [String] {
        switch self {
        case .replacesWithoutComparing:
            ["a replacement that expects another generation", "of 32 concurrent replacements", "counting up a session"]
        case .comparesInDoubles: ["a generation may be any 64-bit number"]
        case .refusesChanges: ["counting up a session", "a counter in an attachment"]
        case .insertsOver: ["a second session with the same id is refused", "of 16 concurrent insertions"]
        case .revives:
            [
                "restored by a late replacement", "a session that is removed during saves",
                "an unknown session returns false",
            ]
        case .removesTwice: ["of 32 concurrent removals", "a removal returns the session"]
        case .forgetsAttachments: ["returns and removes its attachments", "with many attachments"]
        case .keepsAttachments: ["returns and removes its attachments"]
        case .restartsRevisions:
            [
                "removed and added again never gets", "before its removal cannot change",
                "before its session was removed and stored again",
            ]
        case .comparesNoRevision:
            ["a change that expects another revision", "of 32 concurrent changes", "a counter in an attachment"]
        case .evictsOthers: ["many logins at one tenant", "only look alike have their own limits for logins"]
        case .evictsFirst: ["a pending login that replaces another one"]
        case .countsAll: ["with the maximum number of sessions gets no more", "their own limits for sessions"]
        case .takesUnchecked: ["a pending login that the caller refuses stays"]
        case .takesTwice: ["a pending login is taken once", "of 64 tasks that take one pending login"]
        case .forgetsDoubt:
            ["keeps the value of isInDoubt", "can set and clear isInDoubt", "changes with each save"]
        case .ignoresDoubt: ["every combination of a filter", "matches few of many sessions", "changes with each save"]
        case .keepsRestored: ["is not marked as restored", "clears the mark of a restored"]
        case .roundsTimes: ["dates are returned exact to the bit", "an inserted session is loaded unchanged"]
        case .cutsAtNUL: ["may be any bytes, also NUL", "a payload is kept byte by byte"]
        case .comparesAsText: ["that only look alike are different"]
        case .joinsBuyers: ["issuer and subject are compared separately"]
        case .listsAnyhow: ["lists every session, oldest first", "of many rows is complete and in order"]
        case .listsSome: ["of many rows is complete and in order", "a long list of them is complete"]
        case .forgetsTenants:
            ["has separate sessions", "of two tenants with the same provider session id", "a tenant and a subject"]
        case .sweepsExact: ["expires exactly at the given time"]
        case .sweepsRefreshed: ["survives a sweep after its first expiry"]
        case .marksTwice: ["can be marked as used only once", "of 64 tasks that mark one token"]
        case .locksOnlySessions: ["each kind of lock has one holder", "do not wait for each other, also in one task"]
        case .sharesLocks: ["do not wait for each other, also in one task"]
        case .locksNothing: ["never run at the same time", "100 tasks", "does not become free in time"]
        case .keepsLock: ["passes its error on and releases the lock"]
        case .releasesCancelled: ["a holder that is cancelled releases the lock when its body ends"]
        case .keepsLoggedIn: ["a damaged attachment does not keep a buyer"]
        case .trustsOwner: ["whose row was moved to another session"]
        case .throwsUntyped, .saysSignIn:
            ["a second session with the same id is refused", "a session with the id of another tenant"]
        }
    }
}
