import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDirectories
import TestDoubles
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    private struct Factory: ProviderFactory {
        let kind = "test"

        func makeProvider(
            named name: String,
            from section: inout ConfigurationSection,
            in environment: IdentityEnvironment
        ) throws -> any IdentityProvider {
            _ = try section.string("clientID")
            _ = try section.optionalSecret("clientSecret")
            _ = try section.optionalSeconds("timeout")
            let loopback = try section.bool("allowsLoopbackHTTP", default: false)
            _ = try section.optionalURL("api", allowsLoopbackHTTP: loopback)
            guard try section.bool("works", default: false) else { throw section.error("kind", "is a test") }
            return StrictProvider(clock: ManualClock())
        }
    }

    private func problem(_ json: String) -> String {
        do {
            let configuration = try IdentityConfiguration(
                json: Array(json.utf8),
                environmentVariables: ["SECRET": "s3cret", "EMPTY": ""]
            )
            _ = try ProviderRegistry(
                configuration,
                factories: [Factory()],
                environment: IdentityEnvironment(transport: NoNetwork())
            )
            return ""
        } catch let error as IdentityError {
            #expect(error.kind == .configuration)
            #expect(!error.description.contains("s3cret"))
            return error.message
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "an unknown member, a wrong type or a missing secret is an error that names its path",
        arguments: [
            (#"{"provider":{}}"#, "provider is not known; did you mean providers?"),
            (#"{"nothing":{}}"#, "nothing is not known."),
            (#"{"providers":{"a":{}}}"#, "providers.a.kind is missing"),
            (#"{"providers":{"a":{"kind":"nothing"}}}"#, "providers.a.kind names an unknown kind"),
            (#"{"providers":{"a":{"kind":"test"}}}"#, "providers.a.clientID is missing"),
            (#"{"providers":{"a":{"kind":"test","clientID":1}}}"#, "providers.a.clientID must be a non-empty string"),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","clientSecret":"x"}}}"#,
                "providers.a.clientSecret is not a reference"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","clientSecret":{"env":"UNSET"}}}}"#,
                "providers.a.clientSecret names the environment variable UNSET"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","clientSecret":{"vault":"x"}}}}"#,
                "providers.a.clientSecret.vault is not known"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","clientSecret":{"file":"/nonexistent"}}}}"#,
                "providers.a.clientSecret names a secret file"
            ),
            (#"{"providers":{"a":{"kind":"test","clientID":"c","timeout":0}}}"#, "providers.a.timeout must be"),
            (#"{"providers":{"a":{"kind":"test","clientID":"c","timeout":1e300}}}"#, "providers.a.timeout must be"),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","api":"http://127.0.0.1:1/"}}}"#,
                "providers.a.api must be an https URL"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","allowsLoopbackHTTP":true,"api":"http://localhost:1/"}}}"#,
                "providers.a.api must be an https URL"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","api":"https://a@b/"}}}"#,
                "providers.a.api is not a usable URL"
            ),
            (#"{"providers":{"":{"kind":"test"}}}"#, "providers contains a provider with an empty name"),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","works":true,"wroks":1}}}"#,
                "providers.a.wroks is not known; did you mean works?"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c\nd"}}}"#,
                "providers.a.clientID contains a control character"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","clientSecret":{"env":"SECRET","file":"f"}}}}"#,
                "providers.a.clientSecret is not a reference"
            ),
            (
                #"{"providers":{"a":{"kind":"test","clientID":"c","clientSecret":{"env":"EMPTY"}}}}"#,
                "providers.a.clientSecret names the environment variable EMPTY"
            ),
            (#"{"providers":[]}"#, "providers must be an object"), (#"[]"#, "must be a JSON object"),
            (#"{"store":{},"store":{}}"#, "not valid JSON"),
        ]
    )
    func problems(json: String, expected: String) {
        let message = problem(json)
        #expect(message.contains(expected), "got: \(message)")
    }

    @Test("providers are found by the bytes of their names; duplicate names and the name of guests are refused")
    func registry() throws {
        let provider = StrictProvider(clock: ManualClock())
        #expect(throws: IdentityError.self) { _ = try ProviderRegistry([provider, provider]) }
        let guest = StrictProvider(clock: ManualClock(), name: SessionManager.guestProvider)
        #expect(throws: IdentityError.self) { _ = try ProviderRegistry([guest]) }
        let kelvin = StrictProvider(clock: ManualClock(), name: "\u{212A}")
        let registry = try ProviderRegistry([kelvin, StrictProvider(clock: ManualClock(), name: "K")])
        #expect(try registry.provider(named: "K").descriptor.name.utf8.count == 1)
        #expect(throws: IdentityError.self) { _ = try registry.provider(named: "k") }
    }

    @Test("the error of a configuration file that cannot be read says why")
    func unreadableFile() {
        let error = #expect(throws: IdentityError.self) { _ = try IdentityConfiguration(contentsOf: "/dev/null/file") }
        #expect(error?.kind == .configuration)
        #expect(error?.cause.map { "\($0)" }?.contains("Not a directory") == true)
    }

    @Test("a secret file that other users can read is refused; one that only its owner can read is accepted")
    func secretFiles() throws {
        let directory = try TemporaryDirectory("configuration")
        defer { directory.remove() }
        let path = try directory.write("s3cret\n", to: "secret", mode: 0o644)
        func read() throws -> Secret {
            let json = #"{"store":{"key":{"file":"\#(path)"}}}"#
            var store = try #require(try IdentityConfiguration(json: Array(json.utf8)).store)
            return try store.secret("key")
        }
        let error = #expect(throws: IdentityError.self) { _ = try read() }
        #expect(error?.hint?.contains("chmod 600") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try read().reveal() == "s3cret")
    }
}
