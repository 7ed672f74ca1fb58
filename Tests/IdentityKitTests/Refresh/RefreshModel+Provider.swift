import FoundationEssentials
import IdentityKit

/// The responses of the provider, and the work of other processes.
extension RefreshModel {
    /// Another process gets the lease and changes the stored session.
    mutating func change(_ state: (TokenSet) -> SessionState) {
        guard let tokens = row?.tokens else { return }
        row = state(tokens)
        (isRowForeign, isHeld) = (true, false)
    }

    /// Another process refreshes the session.
    mutating func refreshElsewhere() {
        newest += 1
        let tokens = Self.tokens(newest)
        change { _ in .active(tokens) }
    }

    var sending: [Choice] {
        guard isHeld else { return [Choice(name: "the lock is lost", isFault: false) { _ in .lockLost }] }
        guard base == newest else {
            return ["an error", "an error with a success status"].map { text in
                Choice(name: "send a used token: \(text)", isFault: text != "an error") { world in
                    world.noteSend()
                    if world.hasNewest { world.violation = "a used token was sent although newer ones are known" }
                    guard world.hasGrace, world.newest > 0 else {
                        world.reuses += 1
                        world.newest = 0
                        return text == "an error"
                            ? .refused(Self.refusal(.invalidGrant)) : .responded(Self.response("invalid_grant"))
                    }
                    world.received.insert(world.newest)
                    return .responded(Self.response("\(world.newest)"))
                }
            }
        }
        let otherProcess = Choice(name: "another process was faster") { world in
            world.noteSend()
            world.refreshElsewhere()
            return .refused(Self.refusal(.invalidGrant))
        }
        return (isLease ? [otherProcess] : []) + [
            Choice(name: "send", isFault: false) { world in
                world.noteSend()
                world.newest += 1
                world.received.insert(world.newest)
                return .responded(Self.response("\(world.newest)"))
            },
            Choice(name: "the response is lost") { world in
                world.noteSend()
                world.newest += 1
                return .refused(Self.refusal(.inDoubt))
            },
            Choice(name: "the request is lost") { world in
                world.noteSend()
                return .refused(Self.refusal(.inDoubt))
            },
            Choice(name: "an HTML page") { world in
                world.noteSend()
                return .responded(Self.response("page"))
            },
            Choice(name: "an error with a success status") { world in
                world.noteSend()
                return .responded(Self.response("rejected"))
            },
            Choice(name: "no connection") { _ in .refused(Self.refusal(.transient)) },
            Choice(name: "refused") { world in
                world.noteSend()
                return .refused(Self.refusal(.rejected))
            },
        ]
    }

    private mutating func noteSend() {
        sends += 1
        if hasMismatch { violation = "a token was sent although the stored response to it has a mismatch" }
        switch row {
        case .claimed, .responded: break
        case .active, .ended, nil:
            if !isRowForeign, row != nil { violation = "a token was sent that is not claimed in the store" }
        }
    }

    func validating(_ response: RefreshResponse) -> [Choice] {
        guard let number = Int(response.body.reveal()) else {
            let kind = RefreshRefusal.Kind(rawValue: response.body.reveal()) ?? .inDoubt
            return [Choice(name: "no token", isFault: false) { _ in .refused(Self.refusal(kind)) }]
        }
        var choices = [
            Choice(name: "accept", isFault: false) { world in
                (world.accepted, world.stands) = (true, false)
                return .validated(Self.tokens(number))
            },
            Choice(name: "do not accept") { world in
                world.stands = world.hasMismatch
                return .validationFailed(Self.failure)
            },
        ]
        // A later response of another login does not replace unsaved tokens.
        if !isLaterResponseStored {
            choices.append(
                Choice(name: "another login") { world in
                    world.stands = true
                    return .validationFailed(Self.otherLogin)
                }
            )
        }
        if hasMismatch {
            choices.append(
                Choice(name: "no token any more") { world in
                    world.stands = true
                    return .refused(Self.refusal(.inDoubt))
                }
            )
        }
        return choices
    }
}
