import FoundationEssentials

/// The location of the public vectors, which are not part of this repository.
enum VectorFolder {
    static let jsonTestSuite = path("IDENTITYKIT_JSON_TEST_SUITE", holding: "test_parsing")
    static let wycheproof = path("IDENTITYKIT_WYCHEPROOF", holding: "testvectors_v1")

    private static func path(_ variable: String, holding folder: String) -> String? {
        guard let path = ProcessInfo.processInfo.environment[variable],
            FileManager.default.fileExists(atPath: path + "/" + folder)
        else { return nil }
        return path
    }
}
