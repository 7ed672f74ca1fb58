public import IdentityKit

/// One way in which the sandbox is not the provider that the documents promise.
///
/// Hand it to ``SandboxService/misbehave(_:on:times:)``. Several can be combined with ``and(_:)``. What is specific to one
/// provider is found as further static members: ``idToken(_:)``, ``withoutMembers(_:)`` and so on.
public struct SandboxMisbehaviour: Sendable {
    enum Effect: Sendable {
        /// Answered without asking the provider: its state does not change.
        case replace(SandboxAnswer)
        /// The provider answers, its state changes, and then the answer is changed.
        case edit(@Sendable (inout SandboxAnswer) -> Void)
        case idToken(@Sendable (inout SandboxIDToken) -> Void)
        case delay(Duration)
        case drip(bytes: Int, every: Duration)
        /// The connection is reset; before the provider saw the request, or after it acted on it.
        case reset(afterActing: Bool)
        /// The connection closes after so many bytes of the message.
        case cut(afterBytes: Int)
        /// Bytes in the place of a whole HTTP message.
        case raw([UInt8])
        /// Something else happens first.
        case before(@Sendable () async -> Void)
    }

    let effects: [Effect]

    /// Both at once; where they contradict each other the first counts.
    public func and(_ other: SandboxMisbehaviour) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: effects + other.effects)
    }

    // MARK: Instead of an answer

    /// Another answer; the provider does not see the request.
    public static func answer(_ answer: SandboxAnswer) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.replace(answer)])
    }

    /// Another answer made of its parts; the provider does not see the request.
    public static func answer(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) -> SandboxMisbehaviour {
        .answer(SandboxAnswer(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// A page where JSON is expected, as a proxy in front of a provider sends it.
    public static func htmlPage(status: Int) -> SandboxMisbehaviour {
        .answer(.html("<!doctype html><title>\(status)</title><h1>Something went wrong</h1>", status: status))
    }

    /// A redirect; the provider does not see the request.
    public static func redirect(to location: String, status: Int = 302) -> SandboxMisbehaviour {
        .answer(.redirect(to: location, status: status))
    }

    /// 429, with `Retry-After` in seconds or without.
    public static func tooManyRequests(retryAfter: Int?) -> SandboxMisbehaviour {
        var answer = SandboxAnswer.json(["error": .string("rate_limited")], status: 429)
        if let retryAfter { answer.headers.append(("Retry-After", String(retryAfter))) }
        return .answer(answer)
    }

    /// An OAuth error body (RFC 6749 section 5.2) with any status, 200 too.
    public static func oauthError(
        _ error: String,
        description: String = "Made by the sandbox.",
        status: Int = 400
    ) -> SandboxMisbehaviour {
        .answer(.oauthError(error, description, status: status))
    }

    /// The connection is reset and the provider has not seen the request.
    public static let reset = SandboxMisbehaviour(effects: [.reset(afterActing: false)])

    /// Bytes in the place of an HTTP message, after which the connection closes; the provider does not see the request.
    public static func rawBytes(_ bytes: [UInt8]) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.raw(bytes)])
    }

    // MARK: The right answer, at the wrong moment

    /// Does something when the request has arrived and before the provider acts on it: rotating keys, moving a clock.
    public static func before(_ action: @escaping @Sendable () async -> Void) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.before(action)])
    }

    // MARK: The right answer, delivered badly

    /// The provider acts on the request, and the answer is lost: the connection is reset.
    public static let loseAnswer = SandboxMisbehaviour(effects: [.reset(afterActing: true)])

    /// Waits before the first byte.
    public static func delay(_ duration: Duration) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.delay(duration)])
    }

    /// Sends a few bytes at a time.
    public static func drip(bytes: Int = 1, every interval: Duration) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.drip(bytes: max(1, bytes), every: interval)])
    }

    /// Closes the connection in the middle of the message.
    public static func cut(afterBytes count: Int) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.cut(afterBytes: max(0, count))])
    }

    // MARK: The right answer, changed

    /// Changes the answer in any way.
    public static func edit(_ change: @escaping @Sendable (inout SandboxAnswer) -> Void) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.edit(change)])
    }

    /// Changes the JSON object of the answer; other bodies are left alone.
    public static func editJSON(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> SandboxMisbehaviour {
        .edit { answer in
            guard let value = try? JSONValue(parsing: answer.body), var object = value.object else { return }
            change(&object)
            answer.body = JSONValue.object(object).serialized
        }
    }

    /// Leaves members out of the JSON answer: `refresh_token`, `id_token`, `token_type`.
    public static func withoutMembers(_ names: String...) -> SandboxMisbehaviour {
        .editJSON { object in for name in names { object[name] = nil } }
    }

    /// Sets a member of the JSON answer.
    public static func member(_ name: String, _ value: JSONValue) -> SandboxMisbehaviour {
        .editJSON { $0[name] = value }
    }

    /// Another status for the right answer.
    public static func status(_ status: Int) -> SandboxMisbehaviour {
        .edit { $0.status = status }
    }

    /// A header set or, with nil, removed.
    public static func header(_ name: String, _ value: String?) -> SandboxMisbehaviour {
        .edit { answer in
            answer.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { answer.headers.append((name, value)) }
        }
    }
}

extension SandboxMisbehaviour: CustomStringConvertible {
    /// What goes wrong, in a few words.
    public var description: String {
        effects.map { effect in
            switch effect {
            case .replace(let answer): "answers \(answer)"
            case .edit: "changes the answer"
            case .idToken: "changes the ID token"
            case .delay(let duration): "waits \(duration)"
            case .drip(let bytes, let interval): "sends \(bytes) bytes every \(interval)"
            case .reset(let afterActing): afterActing ? "acts and resets" : "resets"
            case .cut(let count): "closes after \(count) bytes"
            case .raw(let bytes): "sends \(bytes.count) bytes that are no answer"
            case .before: "does something first"
            }
        }
        .joined(separator: ", ")
    }
}
