public import IdentityKit

/// One way in which the sandbox deviates from the provider's documentation.
///
/// Pass it to ``SandboxService/misbehave(_:on:times:)``. Several can be combined with ``and(_:)``. Further static members
/// are specific to a provider or endpoint, such as ``idToken(_:)`` and ``withoutMembers(_:)``.
public struct SandboxMisbehaviour: Sendable {
    enum Effect: Sendable {
        /// The sandbox sends this response instead of the provider's; the provider's state does not change.
        case replace(SandboxResponse)
        /// The provider executes the request, then its response is changed.
        case edit(@Sendable (inout SandboxResponse) -> Void)
        case idToken(@Sendable (inout SandboxIDToken) -> Void)
        case delay(Duration)
        case drip(bytes: Int, every: Duration)
        /// The connection is reset before the provider receives the request, or after it executed it.
        case reset(afterActing: Bool)
        /// The connection closes after this number of bytes of the message.
        case cut(afterBytes: Int)
        /// The sandbox sends these bytes instead of an HTTP message.
        case raw([UInt8])
        /// An action before the provider executes the request.
        case before(@Sendable () async -> Void)
    }

    let effects: [Effect]

    /// Combines two misbehaviours; if they conflict, the first one applies.
    public func and(_ other: SandboxMisbehaviour) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: effects + other.effects)
    }

    // MARK: Replaced responses

    /// Another response; the provider does not see the request.
    public static func answer(_ answer: SandboxResponse) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.replace(answer)])
    }

    /// Another response from its parts; the provider does not see the request.
    public static func answer(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) -> SandboxMisbehaviour {
        .answer(SandboxResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// An HTML page instead of JSON, as a proxy in front of a provider sends it.
    public static func htmlPage(status: Int) -> SandboxMisbehaviour {
        .answer(.html("<!doctype html><title>\(status)</title><h1>Something went wrong</h1>", status: status))
    }

    /// A redirect; the provider does not see the request.
    public static func redirect(to location: String, status: Int = 302) -> SandboxMisbehaviour {
        .answer(.redirect(to: location, status: status))
    }

    /// 429, with `Retry-After` in seconds or without.
    public static func tooManyRequests(retryAfter: Int?) -> SandboxMisbehaviour {
        var answer = SandboxResponse.json(["error": .string("rate_limited")], status: 429)
        if let retryAfter { answer.headers.append(("Retry-After", String(retryAfter))) }
        return .answer(answer)
    }

    /// An OAuth error body (RFC 6749 section 5.2) with any status, 200 too.
    public static func oauthError(
        _ error: String,
        description: String = "Planned by the sandbox.",
        status: Int = 400
    ) -> SandboxMisbehaviour {
        .answer(.oauthError(error, description, status: status))
    }

    /// The connection is reset and the provider has not seen the request.
    public static let reset = SandboxMisbehaviour(effects: [.reset(afterActing: false)])

    /// Bytes instead of an HTTP message, then the connection closes; the provider does not see the request.
    public static func rawBytes(_ bytes: [UInt8]) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.raw(bytes)])
    }

    // MARK: Actions before the response

    /// Runs an action before the provider executes the request, such as rotating keys or advancing a clock.
    public static func before(_ action: @escaping @Sendable () async -> Void) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.before(action)])
    }

    // MARK: Lost and slow responses

    /// The provider executes the request, then the connection is reset: the response is lost.
    public static let loseResponse = SandboxMisbehaviour(effects: [.reset(afterActing: true)])

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

    // MARK: Changed responses

    /// Changes the response.
    public static func edit(_ change: @escaping @Sendable (inout SandboxResponse) -> Void) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.edit(change)])
    }

    /// Changes the JSON object of the response; other bodies stay unchanged.
    public static func editJSON(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> SandboxMisbehaviour {
        .edit { answer in
            guard let value = try? JSONValue(parsing: answer.body), var object = value.object else { return }
            change(&object)
            answer.body = JSONValue.object(object).serialized
        }
    }

    /// Removes members of the JSON response: `refresh_token`, `id_token`, `token_type`.
    public static func withoutMembers(_ names: String...) -> SandboxMisbehaviour {
        .editJSON { object in for name in names { object[name] = nil } }
    }

    /// Sets a member of the JSON response.
    public static func member(_ name: String, _ value: JSONValue) -> SandboxMisbehaviour {
        .editJSON { $0[name] = value }
    }

    /// Changes the status of the response.
    public static func status(_ status: Int) -> SandboxMisbehaviour {
        .edit { $0.status = status }
    }

    /// Sets a header or, with nil, removes it.
    public static func header(_ name: String, _ value: String?) -> SandboxMisbehaviour {
        .edit { answer in
            answer.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { answer.headers.append((name, value)) }
        }
    }
}

extension SandboxMisbehaviour: CustomStringConvertible {
    /// A short description.
    public var description: String {
        effects.map { effect in
            switch effect {
            case .replace(let answer): "answers \(answer)"
            case .edit: "changes the answer"
            case .idToken: "changes the ID token"
            case .delay(let duration): "waits \(duration)"
            case .drip(let bytes, let interval): "sends \(bytes) bytes every \(interval)"
            case .reset(let afterActing): afterActing ? "executes the request and resets" : "resets"
            case .cut(let count): "closes after \(count) bytes"
            case .raw(let bytes): "sends \(bytes.count) bytes that are not a response"
            case .before: "runs an action first"
            }
        }
        .joined(separator: ", ")
    }
}
