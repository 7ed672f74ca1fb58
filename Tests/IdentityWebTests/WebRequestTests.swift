import IdentityHTTP
import IdentityWeb
import Testing

@Suite("Requests")
struct WebRequestTests {
    @Test(
        "the fields of a form are read with any spelling of its media type, and not from another type",
        arguments: [
            ("application/x-www-form-urlencoded", true), ("Application/X-WWW-Form-Urlencoded;charset=UTF-8", true),
            ("application/x-www-form-urlencoded ; charset=utf-8", true),
            ("application/x-www-form-urlencoded\t;charset=utf-8", true), ("application/x-www-form-urlencoded2", false),
            ("text/plain; application/x-www-form-urlencoded", false),
            ("application/x-www-form-urlencoded text/plain", false),
        ]
    )
    func formType(type: String, isForm: Bool) throws {
        let headers = try HTTPHeaders(["Content-Type": type])
        let request = WebRequest(method: .post, target: "/", headers: headers, body: Array("a=b".utf8))
        #expect(request.formValue("a") == (isForm ? "b" : nil))
    }
}
