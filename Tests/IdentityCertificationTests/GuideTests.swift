import FoundationEssentials
import IdentityKit
import IdentitySandbox
import Testing

@Suite("The guide to the hostile provider")
struct GuideTests {
    @Test("the guide's code compiles and its checks pass")
    func example() async throws {
        try await CertificationModule.run { module in
            let (sandbox, sessions) = (module.sandbox, module.sessions)
            let flow = LoginFlow(provider: CertificationModule.name, sessions: sessions, presenter: SandboxBuyer())
            // swift-format-ignore
            do {
let attacker = try SandboxKeyPair()
let listener = try await SandboxListener.start()                                   // an address of the attacker
listener.answer("/keys", with: .json(["keys": .array([.object(attacker.publicKey.jwk(keyID: "k"))])]))
sandbox.openID.planFault(.keyInHeader(.jku(listener.origin + "/keys"), of: attacker, keyID: "k"), on: .token)

let error = await #expect(throws: IdentityError.self) { try await flow.login() }   // your app's login
#expect(error?.code == .idTokenKeyUnknown)
#expect(listener.requests.isEmpty)                                                 // the key was never fetched
#expect(sandbox.openID.requests(to: .api).isEmpty)                                 // UserInfo was never asked
#expect(try await sessions.sessions().isEmpty)                                     // nobody is signed in
                await listener.stop()
            }
        }
    }
}
