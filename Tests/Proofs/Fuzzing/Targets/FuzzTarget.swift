/// A function that reads untrusted bytes, with conditions that must hold for any input.
///
/// libFuzzer, the replay of the corpus and the mutation run of the ordinary tests use the same targets.
package struct FuzzTarget: Sendable {
    /// A finding: an input for which a condition did not hold.
    package struct Finding: Error, CustomStringConvertible {
        package let description: String
    }

    /// The name on the command line and of the corpus folder.
    package let name: String
    /// Runs the target with an input; throws a ``Finding`` or an unexpected error.
    package let check: @Sendable ([UInt8]) async throws -> Void
    /// How many times slower than a parser the target is; runs with a fixed number of inputs use fewer.
    package let cost: Int

    init(_ name: String, cost: Int = 1, _ check: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.name = name
        self.cost = cost
        self.check = check
    }

    package static let all: [FuzzTarget] = [
        FuzzTarget("json") { try JSONFuzz.check($0) },
        FuzzTarget("graphql-response") { try GraphQLResponseFuzz.check($0) },
        FuzzTarget("base64") { try EncodingFuzz.check($0) },
        FuzzTarget("url") { try URLFuzz.check($0) },
        FuzzTarget("cookie") { try CookieFuzz.check($0) },
        FuzzTarget("callback") { try CallbackFuzz.check($0) },
        FuzzTarget("return-path") { try ReturnPathFuzz.check($0) },
        FuzzTarget("loopback-request") { try LoopbackRequestFuzz.check($0) },
        FuzzTarget("token-response") { try TokenResponseFuzz.check($0) },
        FuzzTarget("metadata") { try MetadataFuzz.check($0) },
        FuzzTarget("device-response") { try DeviceResponseFuzz.check($0) },
        FuzzTarget("pushed-authorization") { try PushedAuthorizationFuzz.check($0) },
        FuzzTarget("dpop-response", cost: 20) { try await DPoPResponseFuzz.check($0) },
        FuzzTarget("key-lifetime") { try KeyLifetimeFuzz.check($0) },
        FuzzTarget("client-key") { try ClientKeyFuzz.check($0) },
        FuzzTarget("jwk-set") { try KeySetFuzz.check($0) },
        FuzzTarget("jwt") { try SignatureFuzz.check($0) },
        FuzzTarget("id-token", cost: 4) { try IDTokenFuzz.check($0) },
        FuzzTarget("logout-token", cost: 4) { try LogoutTokenFuzz.check($0) },
        FuzzTarget("configuration") { try ConfigurationFuzz.check($0) },
        FuzzTarget("record") { try RecordFuzz.check($0) },
        FuzzTarget("spool") { try SpoolFuzz.check($0) },
        FuzzTarget("row", cost: 40) { try await RowFuzz.check($0) },
    ]
}

func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    guard condition else { throw FuzzTarget.Finding(description: problem()) }
}

func require<Value>(_ value: Value?, _ problem: @autoclosure () -> String) throws -> Value {
    guard let value else { throw FuzzTarget.Finding(description: problem()) }
    return value
}
