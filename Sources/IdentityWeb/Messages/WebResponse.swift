public import IdentityHTTP
package import IdentityKit

/// A response to a ``WebRequest``; an adapter copies its status, headers and body unchanged to the response of the server framework.
///
/// Copy each header field on its own, because `Set-Cookie` may occur more than once.
public typealias WebResponse = HTTPResponse

extension HTTPResponse {
    /// Creates a response with a page of HTML in UTF-8, by default with status 200.
    public static func html(_ html: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: .of([("Content-Type", "text/html; charset=utf-8")]),
            body: Array(html.utf8)
        )
    }

    /// Creates a response with JSON that no cache may store.
    package static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: .of([("Content-Type", "application/json"), ("Cache-Control", "no-store")]),
            body: JSONValue.object(object).serialized
        )
    }

    /// A redirect with status 303: the browser asks for the location with GET (RFC 9110 section 15.4.4).
    ///
    /// The location is a path of this app or an absolute URL. If it came with a request, check it with `ReturnPathPolicy` first.
    ///
    /// - Throws: `HTTPTransportError` if the location contains a control character other than TAB, or is longer than 64 KiB.
    public static func redirect(to location: String) throws(HTTPTransportError) -> HTTPResponse {
        var headers = HTTPHeaders()
        try headers.set("Location", location)
        return HTTPResponse(status: 303, headers: headers)
    }
}

extension HTTPHeaders {
    static func of(_ fields: [(name: String, value: String)]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in fields { headers.add(field.name, field.value) }
        return headers
    }

    /// Adds a field; an invalid name or value changes nothing, so pass only valid ones.
    mutating func add(_ name: String, _ value: String) {
        try? append(name, value)
    }

    /// Sets a field in place of all earlier fields with its name; like ``add(_:_:)``, ignores an invalid name or value.
    mutating func replace(_ name: String, _ value: String) {
        try? set(name, value)
    }

    /// A copy without the fields that have one of these names; the names are in lower case.
    func without(_ names: Set<String>) -> HTTPHeaders {
        var rest = HTTPHeaders()
        for (name, value) in self where !names.contains(name.lowercased()) { rest.add(name, value) }
        return rest
    }
}
