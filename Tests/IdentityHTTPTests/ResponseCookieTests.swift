import IdentityHTTP
import Testing

@Suite("Cookies of a response")
struct ResponseCookieTests {
    @Test("a cookie that a browser would drop or change is refused")
    func refused() throws {
        #expect(throws: Never.self) { try ResponseCookie("a", String(repeating: "x", count: 4_095)) }
        for (name, value, path, isSecure) in [
            ("a", String(repeating: "x", count: 4_096), "/", true), ("", "x", "/", true), ("a b", "x", "/", true),
            ("a", "x;y", "/", true), ("a", "x\r\ny", "/", true), ("a", "\u{E4}", "/", true),
            ("a", "x", "", true), ("a", "x", "/;Domain=example", true),
            ("__Host-a", "x", "/", false), ("__Host-a", "x", "/auth", true), ("__host-a", "x", "/auth", true),
            ("__Secure-a", "x", "/", false), ("__secure-a", "x", "/auth", false),
        ] {
            let error = #expect(throws: HTTPTransportError.self, "\(name)=\(value.prefix(8)) \(path)") {
                try ResponseCookie(name, value, path: path, isSecure: isSecure)
            }
            #expect(error?.code == .invalidHeader)
        }
        #expect(throws: HTTPTransportError.self) { try ResponseCookie("a", "x", isSecure: false, sameSite: .none) }
        #expect(throws: Never.self) { try ResponseCookie("__Secure-a", "x", path: "/auth", sameSite: .none) }
    }

    @Test("the Set-Cookie header has every attribute of the cookie; a time below one second removes the cookie")
    func attributes() throws {
        let cookie = try ResponseCookie("__Host-a", "x", maximumAge: .seconds(60), sameSite: .strict)
        #expect(cookie.headerValue == "__Host-a=x; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Strict")
        let removal = try ResponseCookie("a", "", maximumAge: .milliseconds(999))
        #expect(removal.headerValue == "a=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax")
        let plain = try ResponseCookie("a", "x", path: "/b", isSecure: false, isHTTPOnly: false)
        #expect(plain.headerValue == "a=x; Path=/b; SameSite=Lax")
    }
}
