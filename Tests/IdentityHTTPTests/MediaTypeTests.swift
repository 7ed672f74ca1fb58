import IdentityHTTP
import Testing

@Suite struct MediaTypeTests {
    @Test("a Content-Type names a media type in any case and with parameters, but not together with other words")
    func matches() {
        for type in [
            "application/jwt", "Application/JWT;charset=UTF-8", " application/jwt ; a=b", "application/jwt\t;a=b",
        ] {
            #expect(MediaType.jwt.matches(type) && !MediaType.form.matches(type), "\(type)")
        }
        for type in [
            nil, "", ";", "application/jwt2", "application /jwt", "text/plain; application/jwt",
            "application/jwt text/plain",
            "application/jwt, text/plain", "application/jwt,application/jwt",
        ] {
            #expect(!MediaType.jwt.matches(type), "\(type ?? "nil")")
        }
    }
}
