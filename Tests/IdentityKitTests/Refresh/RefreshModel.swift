import FoundationEssentials
import IdentityKit
import Testing

/// A provider, a store and a process as plain values, which give a result for every action of the state machine without I/O.
///
/// Tokens are numbers. The provider accepts the newest one only, and revokes all of them when it receives an older one.
struct RefreshModel: Sendable, CustomTestStringConvertible {
    /// A state that is kept outside the store and replaces the tokens with this number.
    struct Unsaved: Sendable {
        let replaced: Int
        let state: SessionState
    }

    /// A possible result of an action.
    struct Choice {
        let name: String
        var isFault = true
        let perform: (inout RefreshModel) -> RefreshStateMachine.Event
    }

    var testDescription: String
    var row: SessionState?
    var memory: Unsaved?
    var spool: Unsaved?
    /// The newest token of the provider; 0 when all are revoked.
    var newest = 1
    /// Whether the provider returns the newest tokens for a used refresh token.
    var hasGrace = false
    /// Whether the lock is a lease: it can be lost, and does not prove that its previous holder has ended.
    var isLease = false
    var isHeld = true
    /// Whether another process has changed the stored session since this one loaded or saved it.
    var isRowForeign = false
    /// A response that another process has stored while this one had unsaved tokens or an unsaved response.
    var laterResponse: String?
    /// The token with which the run began.
    var base: Int?
    var received: Set<Int> = []
    var revoked: Set<Int> = []
    var sends = 0
    var reuses = 0
    /// How often a mismatch was reported.
    var reports = 0
    /// Whether this run has accepted a response.
    var accepted = false
    /// Whether the last validation found a mismatch, or kept a stored one.
    var stands = false
    var violation: String?

    // MARK: Values

    static func tokens(_ number: Int) -> TokenSet {
        TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "buyer"),
            accessToken: Secret("access-\(number)"),
            refreshToken: Secret("refresh-\(number)"),
            issuedAt: Date(timeIntervalSince1970: 0)
        )
    }

    static func response(_ text: String) -> RefreshResponse {
        let date = Date(timeIntervalSince1970: 0)
        return RefreshResponse(status: 200, body: Secret(text), startedAt: date, receivedAt: date)
    }

    static let claim = RefreshClaim(correlationID: "refresh", startedAt: Date(timeIntervalSince1970: 0))

    static func refusal(_ kind: RefreshRefusal.Kind) -> RefreshRefusal {
        RefreshRefusal(
            kind,
            IdentityError(kind == .invalidGrant ? .signInAgain : .retryLater, .systemFailure, "Refused.")
        )
    }

    static let failure = IdentityError(.retryLater, .storeFailed, "Failed.")
    static let otherLogin = IdentityError(.rejected, .idTokenSubject, "Another buyer.", isAttackSuspected: true)

    /// A response that was found to belong to another login.
    static func foreignResponse(_ text: String) -> RefreshResponse {
        var response = response(text)
        response.loginMismatch = .idTokenSubject
        return response
    }

    static func number(_ tokens: TokenSet?) -> Int? {
        (tokens?.refreshToken?.reveal()).flatMap { Int($0.dropFirst("refresh-".count)) }
    }

    /// The newest token that a state contains, also in a stored response.
    static func newest(in state: SessionState?) -> Int? {
        if case .responded(_, let response)? = state, let number = Int(response.body.reveal()) { return number }
        return number(state?.tokens)
    }

    /// Whether the stored response may contain newer tokens than memory and spool.
    var isLaterResponseStored: Bool {
        guard case .responded(_, let response)? = row, let laterResponse else { return false }
        return response.body.reveal() == laterResponse
    }

    /// Whether a process that begins now finds a response with a mismatch, and no newer accepted one.
    var hasMismatch: Bool {
        guard row?.endReason == nil else { return false }
        let unsaved = matching(memory) ?? matching(spool)
        if case .active? = unsaved { return false }
        return unsaved?.loginMismatch != nil || row?.loginMismatch != nil
    }

    private func matching(_ unsaved: Unsaved?) -> SessionState? {
        unsaved.flatMap { $0.replaced == Self.number(row?.tokens) ? $0.state : nil }
    }

    /// Whether a process that begins now can find the provider's newest token.
    var hasNewest: Bool {
        [row, matching(memory), matching(spool)].contains { $0.map { Self.newest(in: $0) == newest } ?? false }
    }

    // MARK: Choices

    /// All possible results of an action, the successful one first.
    func choices(_ action: RefreshStateMachine.Action) -> [Choice] {
        switch action {
        case .load: loading
        case .findUnsaved(let storedResponseHasNoTokens):
            [
                Choice(name: "look outside the store", isFault: false) { world in
                    if world.isLaterResponseStored, !storedResponseHasNoTokens { return .found(nil) }
                    return .found(world.matching(world.memory) ?? world.matching(world.spool))
                }
            ]
        case .checkClaimWait:
            [
                Choice(name: "the holder had enough time", isFault: false) { _ in .claimWaitChecked(mustWait: false) },
                Choice(name: "the holder has time left") { _ in .claimWaitChecked(mustWait: true) },
            ]
        case .prepare:
            [
                Choice(name: "prepare", isFault: false) { _ in .prepared(Self.claim) },
                Choice(name: "no metadata") { _ in .notPrepared(Self.failure) },
            ]
        case .save(let state, let purpose, let requiresLock): saving(state, purpose, requiresLock)
        case .send: sending
        case .validate(let response): validating(response)
        case .reportLoginMismatch:
            [
                Choice(name: "report", isFault: false) { world in
                    world.reports += 1
                    return .done
                }
            ]
        case .spool(let state, _):
            [
                Choice(name: "spool", isFault: false) { world in
                    world.memory = Unsaved(replaced: world.base ?? 0, state: state)
                    world.spool = world.memory
                    return .done
                },
                Choice(name: "keep in memory only") { world in
                    world.memory = Unsaved(replaced: world.base ?? 0, state: state)
                    return .done
                },
            ]
        case .removeUnsaved:
            [
                Choice(name: "forget", isFault: false) { world in
                    (world.memory, world.spool) = (nil, nil)
                    return .done
                },
                Choice(name: "the spool is read-only") { world in
                    world.memory = nil
                    return .done
                },
            ]
        case .revokeUnsaved:
            [
                Choice(name: "discard", isFault: false) { world in
                    world.revoked.formUnion([world.memory, world.spool].compactMap { Self.newest(in: $0?.state) })
                    (world.memory, world.spool) = (nil, nil)
                    return .done
                }
            ]
        case .revoke(let tokens):
            [
                Choice(name: "revoke", isFault: false) { world in
                    if let number = Self.number(tokens) { world.revoked.insert(number) }
                    return .done
                }
            ]
        case .finish: []
        }
    }

    private var loading: [Choice] {
        [
            Choice(name: "load", isFault: false) { world in
                if world.base == nil { world.base = Self.number(world.row?.tokens) }
                defer { world.isRowForeign = false }
                return .loaded(world.row, isRestored: false, isUnchanged: !world.isRowForeign)
            },
            Choice(name: "the store cannot be read") { _ in .notLoaded(Self.failure) },
        ]
    }

    private func saving(
        _ state: SessionState,
        _ purpose: RefreshStateMachine.Purpose,
        _ requiresLock: Bool
    ) -> [Choice] {
        if requiresLock, !isHeld { return [Choice(name: "the lock is lost", isFault: false) { _ in .lockLost }] }
        guard row != nil, !isRowForeign else { return [Choice(name: "conflict", isFault: false) { _ in .conflicted }] }
        var choices = [
            Choice(name: "save \(state.isInDoubt ? "in doubt" : "settled")", isFault: false) { world in
                world.write(state)
                return .saved
            },
            Choice(name: "not saved") { _ in .notSaved(Self.failure) },
            Choice(name: "logged out meanwhile") { world in
                world.row = nil
                return .conflicted
            },
        ]
        if case .tokens = purpose {
        } else {
            choices.append(
                Choice(name: "saved, with an error") { world in
                    world.write(state)
                    return .notSaved(Self.failure)
                }
            )
        }
        guard isLease else { return choices }
        if requiresLock {
            choices.append(
                Choice(name: "the lease ends") { world in
                    world.isHeld = false
                    return .lockLost
                }
            )
        }
        // No process replaces a response with tokens.
        guard !isLaterResponseStored || Self.newest(in: row) != newest else { return choices }
        choices.append(
            Choice(name: "claimed by another process meanwhile") { world in
                world.change { .claimed($0, Self.claim) }
                return .conflicted
            }
        )
        if newest > 0, hasGrace || newest == Self.number(row?.tokens) {
            choices.append(
                Choice(name: "refreshed by another process meanwhile") { world in
                    world.refreshElsewhere()
                    return .conflicted
                }
            )
        }
        if case .tokens = purpose {
            for text in hasGrace ? ["page", "\(newest + 1)"] : ["page"] {
                choices.append(
                    Choice(name: "another process stores the response \(text) meanwhile") { world in
                        world.newest = Int(text) ?? world.newest
                        world.laterResponse = text
                        world.change { .responded($0, Self.response(text)) }
                        return .conflicted
                    }
                )
            }
        }
        if newest != Self.number(row?.tokens) {
            choices.append(
                Choice(name: "ended by another process meanwhile") { world in
                    world.change { .ended(.lostRotation, $0) }
                    return .conflicted
                }
            )
        }
        return choices
    }

    private mutating func write(_ state: SessionState) {
        if row?.endReason != nil, state.endReason == nil, Self.newest(in: state) != newest {
            violation = "an ended session came back"
        }
        if hasMismatch, !accepted, state.loginMismatch == nil {
            violation = "a mismatch was cleared although no validation succeeded"
        }
        if hasNewest, Self.newest(in: row) == newest, Self.newest(in: state) != newest {
            violation = "the newest tokens were overwritten"
        }
        row = state
    }
}
