public import IdentityKit
public import IdentitySandbox

/// Faults of the sandbox's Storefront API; plan them for requests to ``SandboxEndpoint/storefront``.
extension SandboxFault {
    private static func entry(_ message: String, _ code: String, path: [String] = []) -> JSONValue {
        var error: JSONObject = ["message": .string(message)]
        if !path.isEmpty { error["path"] = .array(path.map { .string($0) }) }
        error["extensions"] = .object(["code": .string(code)])
        return .object(error)
    }

    /// Sends HTTP 200 with the error `THROTTLED` and without data; the operation is not executed.
    public static let storefrontThrottled = SandboxFault.answer(
        .json(["errors": .array([entry("Throttled", "THROTTLED")]), "data": .null])
    )

    /// Sends HTTP 200 with the error `INTERNAL_SERVER_ERROR` and without data; the operation is not executed.
    public static let storefrontInternalError: SandboxFault = {
        let message = "Internal error. Looks like something went wrong on our end."
        return .answer(.json(["errors": .array([entry(message, "INTERNAL_SERVER_ERROR")])]))
    }()

    /// Sends HTTP 430, with which Shopify rejects a request as an attack, for example because the buyer's IP is missing.
    public static let storefrontSecurityRejection = SandboxFault.answer(
        status: 430,
        headers: [("Content-Type", "text/html; charset=utf-8")],
        body: "<h1>Security Rejection</h1>"
    )

    /// Adds an `ACCESS_DENIED` error to the response, and sets the field at `path` to null.
    public static func storefrontAccessDenied(path: String...) -> SandboxFault {
        .editJSON { object in
            if let data = object["data"] { object["data"] = nulling(data, path[...]) }
            let error = entry("Access denied for \(path.last ?? "") field.", "ACCESS_DENIED", path: path)
            object["errors"] = .array(object.list("errors") + [error])
        }
    }

    /// Sends a response with this status; the member `errors` of its body is a string.
    public static func storefrontErrorsText(_ text: String, status: Int) -> SandboxFault {
        .answer(.json(["errors": .string(text)], status: status))
    }

    /// Sends a response with this status; the member `errors` of its body is an object.
    public static func storefrontErrorsObject(_ object: JSONObject, status: Int) -> SandboxFault {
        .answer(.json(["errors": .object(object)], status: status))
    }

    /// Sets the cart in the payload to null; the mutation is executed, and the payload's user errors stay unchanged.
    public static let storefrontNullCart = editPayload { $0["cart"] = .null }

    /// Replaces the cart's id in the payload.
    ///
    /// The mutation is executed, and the cart in the sandbox keeps its id. To change that id, call
    /// ``SandboxStorefront/moveCart(_:keepingBuyer:)``.
    public static func storefrontCartID(_ id: String) -> SandboxFault {
        editPayload { payload in
            guard var cart = payload["cart"]?.object else { return }
            cart["id"] = .string(id)
            payload["cart"] = .object(cart)
        }
    }

    /// Adds a user error with this code to the payload, and keeps the payload's cart.
    public static func storefrontUserError(
        code: String,
        field: [String],
        message: String = "This user error was planned in the sandbox."
    ) -> SandboxFault {
        let error: JSONObject = [
            "code": .string(code), "field": .array(field.map { .string($0) }), "message": .string(message),
        ]
        return adding(error, to: "userErrors")
    }

    /// Adds a warning with this code to the payload, and keeps the payload's cart.
    public static func storefrontWarning(code: String, target: String = "gid://shopify/CartLine/1") -> SandboxFault {
        let message = "This warning was planned in the sandbox."
        return adding(["code": .string(code), "message": .string(message), "target": .string(target)], to: "warnings")
    }

    private static func adding(_ entry: JSONObject, to list: String) -> SandboxFault {
        editPayload { $0[list] = .array($0.list(list) + [.object(entry)]) }
    }

    /// Changes the payload of every mutation in the response.
    ///
    /// In the response to a query, the fault changes each object under `data`.
    public static func editPayload(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> SandboxFault {
        .editJSON { object in
            guard var data = object["data"]?.object else { return }
            for member in data.members {
                guard var payload = member.value.object else { continue }
                change(&payload)
                data[member.name] = .object(payload)
            }
            object["data"] = .object(data)
        }
    }

    private static func nulling(_ value: JSONValue, _ path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first, var object = value.object, let inner = object[name] else { return value }
        object[name] = path.count == 1 ? .null : nulling(inner, path.dropFirst())
        return .object(object)
    }
}
