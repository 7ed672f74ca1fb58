public import IdentityKit

/// One way in which the sandbox deviates from the provider's documentation.
///
/// Pass a fault to ``SandboxService/planFault(_:on:times:)``. Combine several faults with ``and(_:)``. Some static members are
/// for one provider or endpoint only, such as ``idToken(_:)`` and ``boltExpiredToken``.
///
/// A new signing key is not a fault: ``SandboxAuthorizationServer/rotateSigningKey(keepingOld:)`` changes the key.
public struct SandboxFault: Sendable {
    enum Effect: Sendable {
        case replace(SandboxResponse)
        case edit(@Sendable (inout SandboxResponse) -> Void)
        case idToken(@Sendable (inout SandboxIDToken) -> Void)
        case delay(Duration)
        case drip(bytes: Int, every: Duration)
        /// The sandbox resets the connection instead of executing the request or, with `afterActing`, after the execution.
        case reset(afterActing: Bool)
        case cut(afterBytes: Int)
        case raw([UInt8])
        case before(@Sendable () async -> Void)
    }

    let effects: [Effect]

    /// Combines two faults.
    ///
    /// Changes of the response and of the ID token apply in order. If several faults replace the response, only the first replacement
    /// has an effect. The sandbox also applies only the first of ``drip(bytes:every:)``, ``cut(afterBytes:)`` and ``loseResponse``.
    ///
    /// ``reset`` and ``rawBytes(_:)`` end the request: all other faults have no effect, except an earlier ``before(_:)``.
    public func and(_ other: SandboxFault) -> SandboxFault {
        SandboxFault(effects: effects + other.effects)
    }

    // MARK: Replaced responses

    /// Sends this response; the provider does not receive the request.
    public static func answer(_ response: SandboxResponse) -> SandboxFault {
        SandboxFault(effects: [.replace(response)])
    }

    /// Sends a response with these parts; the provider does not receive the request.
    public static func answer(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) -> SandboxFault {
        .answer(SandboxResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// Sends an HTML page instead of JSON, as a proxy in front of a provider does.
    public static func htmlPage(status: Int) -> SandboxFault {
        .answer(.html("<!doctype html><title>\(status)</title><h1>Something went wrong</h1>", status: status))
    }

    /// Sends a redirect; the provider does not receive the request.
    public static func redirect(to location: String, status: Int = 302) -> SandboxFault {
        .answer(.redirect(to: location, status: status))
    }

    /// Sends 429 with `Retry-After` in seconds; if `retryAfter` is nil, the response has no `Retry-After`.
    public static func tooManyRequests(retryAfter: Int?) -> SandboxFault {
        var response = SandboxResponse.json(["error": .string("rate_limited")], status: 429)
        if let retryAfter { response.headers.append(("Retry-After", String(retryAfter))) }
        return .answer(response)
    }

    /// Sends an OAuth error body (RFC 6749 section 5.2) with any status, even 200.
    public static func oauthError(
        _ error: String,
        description: String = "Planned by the sandbox.",
        status: Int = 400
    ) -> SandboxFault {
        .answer(.oauthError(error, description, status: status))
    }

    /// Resets the connection before the provider receives the request.
    public static let reset = SandboxFault(effects: [.reset(afterActing: false)])

    /// Sends these bytes instead of an HTTP message and closes the connection; the provider does not receive the request.
    public static func rawBytes(_ bytes: [UInt8]) -> SandboxFault {
        SandboxFault(effects: [.raw(bytes)])
    }

    // MARK: Actions before the response

    /// Runs an action before the provider executes the request, such as rotating keys or advancing a clock.
    public static func before(_ action: @escaping @Sendable () async -> Void) -> SandboxFault {
        SandboxFault(effects: [.before(action)])
    }

    // MARK: Lost and slow responses

    /// Resets the connection after the provider executed the request, so that the response is lost.
    public static let loseResponse = SandboxFault(effects: [.reset(afterActing: true)])

    /// Delays the response; the provider executes the request before the delay.
    public static func delay(_ duration: Duration) -> SandboxFault {
        SandboxFault(effects: [.delay(duration)])
    }

    /// Sends the response in pieces of `bytes` bytes, and waits after each piece.
    public static func drip(bytes: Int = 1, every interval: Duration) -> SandboxFault {
        SandboxFault(effects: [.drip(bytes: max(1, bytes), every: interval)])
    }

    /// Closes the connection after this number of bytes of the response, headers included.
    public static func cut(afterBytes count: Int) -> SandboxFault {
        SandboxFault(effects: [.cut(afterBytes: max(0, count))])
    }

    // MARK: Changed responses

    /// Changes the response.
    public static func edit(_ change: @escaping @Sendable (inout SandboxResponse) -> Void) -> SandboxFault {
        SandboxFault(effects: [.edit(change)])
    }

    /// Changes the JSON object of the response; a body that is not a JSON object stays unchanged.
    public static func editJSON(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> SandboxFault {
        .edit { response in
            guard let value = try? JSONValue(parsing: response.body), var object = value.object else { return }
            change(&object)
            response.body = JSONValue.object(object).serialized
        }
    }

    /// Removes members of the JSON response, such as `refresh_token`, `id_token` or `token_type`.
    public static func withoutMembers(_ names: String...) -> SandboxFault {
        .editJSON { object in for name in names { object[name] = nil } }
    }

    /// Sets a member of the JSON response.
    public static func member(_ name: String, _ value: JSONValue) -> SandboxFault {
        .editJSON { $0[name] = value }
    }

    /// Changes the status of the response.
    public static func status(_ status: Int) -> SandboxFault {
        .edit { $0.status = status }
    }

    /// Sets a header or, with nil, removes it; the server adds a removed `Date` or `Content-Length` again.
    public static func header(_ name: String, _ value: String?) -> SandboxFault {
        .edit { response in
            response.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { response.headers.append((name, value)) }
        }
    }
}

extension SandboxFault: CustomStringConvertible {
    /// A short description.
    public var description: String {
        effects.map { effect in
            switch effect {
            case .replace(let response): "sends the response \(response)"
            case .edit: "changes the response"
            case .idToken: "changes the ID token"
            case .delay(let duration): "waits \(duration)"
            case .drip(let bytes, let interval): "sends \(bytes) bytes every \(interval)"
            case .reset(let afterActing): afterActing ? "executes the request, then resets" : "resets the connection"
            case .cut(let count): "closes after \(count) bytes"
            case .raw(let bytes): "sends \(bytes.count) bytes that are not a response"
            case .before: "runs an action first"
            }
        }
        .joined(separator: ", ")
    }
}
