// swift-tools-version: 6.3
import PackageDescription

// Only .ci/run makes warnings errors, so that new warnings of a newer compiler do not break a user's build.
let strictness: [SwiftSetting] =
    Context.environment["IDENTITYKIT_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

// The compiler settings of every target.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ] + strictness

// The condition of dependencies on libpq, the client library of PostgreSQL. A trait can remove a dependency, but no target. Therefore
// the sources that need libpq are inside `#if PostgreSQL`.
let postgreSQL = TargetDependencyCondition.when(traits: ["PostgreSQL"])

// A module depends only on modules of lower layers: Documentation/Decisions/0001-modules.md.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["ExampleSetup", "IdentitySetup", "IdentityKit", "IdentitySQLite", "ShopifyStorefront"]
            + dependencies,
        path: "Examples/\(name)",
        exclude: ["run"],
        swiftSettings: settings
    )
}

// Creates a test target; every test target can use the test doubles and `TemporaryDirectory`, and mark tests with rows of a guide's table.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["TestDirectories", "TestDoubles", "TestGuides"],
        swiftSettings: settings
    )
}

let package = Package(
    name: "IdentityKit",
    products: [
        .library(name: "IdentityHTTP", targets: ["IdentityHTTP"]),
        .library(name: "IdentityKit", targets: ["IdentityKit"]),
        .library(name: "IdentityStoreKit", targets: ["IdentityStoreKit"]),
        .library(name: "IdentityOIDC", targets: ["IdentityOIDC"]),
        .library(name: "IdentityShopify", targets: ["IdentityShopify"]),
        .library(name: "IdentityBolt", targets: ["IdentityBolt"]),
        .library(name: "IdentitySQLite", targets: ["IdentitySQLite"]),
        .library(name: "IdentityPostgres", targets: ["IdentityPostgres"]),
        .library(name: "ShopifyGraphQL", targets: ["ShopifyGraphQL"]),
        .library(name: "ShopifyStorefront", targets: ["ShopifyStorefront"]),
        .library(name: "ShopifyStorefrontExperimental", targets: ["ShopifyStorefrontExperimental"]),
        .library(name: "ShopifyCustomerAccount", targets: ["ShopifyCustomerAccount"]),
        .library(name: "ShopifyLegacyCustomers", targets: ["ShopifyLegacyCustomers"]),
        .library(name: "IdentityWeb", targets: ["IdentityWeb"]),
        .library(name: "IdentityDevelopmentServer", targets: ["IdentityDevelopmentServer"]),
        .library(name: "IdentityPresentation", targets: ["IdentityPresentation"]),
        .library(name: "IdentitySandbox", targets: ["IdentitySandbox"]),
        .library(name: "StorefrontSandbox", targets: ["StorefrontSandbox"]),
        .library(name: "IdentitySetup", targets: ["IdentitySetup"]),
        .library(name: "IdentityTesting", targets: ["IdentityTesting"]),
        // An example, no part of the SDK. It is a product so that the packages in Examples/ can run the same shop on other servers.
        .library(name: "ExampleWebShop", targets: ["WebShop", "WebShopStart"]),
        .executable(name: "storefront-gen", targets: ["storefront-gen"]),
        .executable(name: "shopify-login", targets: ["shopify-login"]),
        .executable(name: "bolt-login", targets: ["bolt-login"]),
        .executable(name: "web-shop", targets: ["web-shop"]),
        .executable(name: "identity-lab", targets: ["identity-lab"]),
    ],
    traits: [
        .trait(
            name: "PostgreSQL",
            description: "Contains the session store in PostgreSQL (IdentityPostgres), which needs libpq."
        )
    ],
    dependencies: [],
    targets: [
        // Layer 0: system libraries; the prefix avoids clashes with modules of other packages.
        .systemLibrary(name: "CIdentityOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CIdentitySQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CIdentityPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CIdentityCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // Layer 0: all that a port to another platform has to change.
        .systemLibrary(name: "CIdentityPlatform", path: "Sources/IdentityPlatform/C"),
        .target(
            name: "IdentityPlatform",
            dependencies: ["CIdentityPlatform"],
            exclude: ["C"],
            swiftSettings: settings
        ),

        // Layer 1 and 1b
        library("IdentityCrypto", ["CIdentityOpenSSL"]),
        library("IdentityHTTP", ["IdentityPlatform", "CIdentityCurl", "CIdentityOpenSSL"]),
        library("IdentityLoopback", ["IdentityHTTP", "IdentityPlatform"]),
        library("GraphQLLanguage", []),

        // Layer 2 and 2b
        library("IdentityKit", ["IdentityPlatform", "IdentityCrypto", "IdentityHTTP"]),
        library("IdentityStoreKit", ["IdentityPlatform", "IdentityKit", "IdentityCrypto", "IdentityHTTP"]),
        library("IdentityOIDC", ["IdentityKit", "IdentityCrypto", "IdentityHTTP"]),
        library("ShopifyGraphQL", ["IdentityKit", "IdentityCrypto", "IdentityHTTP"]),

        // Layer 3, with IdentityDevelopmentServer and StorefrontSandbox (3b) and storefront-gen (5) next to what they use
        library(
            "IdentityShopify",
            ["IdentityOIDC", "ShopifyGraphQL", "IdentityKit", "IdentityCrypto", "IdentityHTTP"]
        ),
        library("IdentityBolt", ["IdentityOIDC", "IdentityKit", "IdentityCrypto", "IdentityHTTP"]),
        library(
            "IdentitySQLite",
            ["IdentityPlatform", "IdentityStoreKit", "IdentityKit", "IdentityCrypto", "CIdentitySQLite"]
        ),
        library(
            "IdentityPostgres",
            [
                "IdentityPlatform", "IdentityStoreKit", "IdentityKit", "IdentityCrypto",
                .target(name: "CIdentityPostgres", condition: postgreSQL),
            ]
        ),
        .target(
            name: "ShopifyStorefront",
            dependencies: ["ShopifyGraphQL", "IdentityKit", "IdentityCrypto", "IdentityHTTP"],
            // The generator reads these documents, the compiler does not: Documentation/Using/Generator.md.
            exclude: ["Documents", "TokenExchange/Documents"],
            swiftSettings: settings
        ),
        .target(
            name: "ShopifyCustomerAccount",
            dependencies: ["ShopifyGraphQL", "IdentityKit", "IdentityCrypto", "IdentityHTTP"],
            exclude: ["Documents"],
            swiftSettings: settings
        ),
        library("IdentityWeb", ["IdentityKit", "IdentityHTTP"]),
        library("IdentityDevelopmentServer", ["IdentityWeb", "IdentityLoopback", "IdentityKit", "IdentityHTTP"]),
        library("IdentityPresentation", ["IdentityLoopback", "IdentityPlatform", "IdentityKit", "IdentityHTTP"]),
        library(
            "IdentitySandbox",
            ["IdentityLoopback", "IdentityKit", "IdentityCrypto", "IdentityHTTP"]
        ),
        library(
            "StorefrontSandbox",
            ["IdentitySandbox", "GraphQLLanguage", "IdentityKit", "IdentityHTTP", "IdentityCrypto"]
        ),

        library("StorefrontGeneration", ["GraphQLLanguage", "IdentityKit"]),
        .executableTarget(
            name: "storefront-gen",
            dependencies: ["StorefrontGeneration", "IdentityPlatform"],
            swiftSettings: settings
        ),

        // Layer 3b: only for shops that still have legacy customer accounts.
        .target(
            name: "ShopifyLegacyCustomers",
            dependencies: [
                "ShopifyStorefront", "ShopifyGraphQL", "IdentityKit", "IdentityCrypto", "IdentityHTTP",
            ],
            exclude: ["Documents"],
            swiftSettings: settings
        ),

        // Layer 3b: operations that Shopify serves only to apps that it has invited.
        .target(
            name: "ShopifyStorefrontExperimental",
            dependencies: ["ShopifyStorefront", "ShopifyGraphQL", "IdentityKit"],
            exclude: ["Documents"],
            swiftSettings: settings
        ),

        // Layer 4
        library(
            "IdentitySetup",
            [
                "IdentityOIDC", "IdentityShopify", "IdentityBolt", "ShopifyStorefront", "ShopifyCustomerAccount",
                "ShopifyGraphQL", "IdentityKit", "IdentityHTTP",
            ]
        ),
        library(
            "IdentityTesting",
            [
                "IdentityShopify", "ShopifyGraphQL", "IdentityWeb", "IdentityLoopback", "IdentityPlatform",
                "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityCrypto",
            ]
        ),

        // Layer 5
        .target(
            name: "ExampleSetup",
            dependencies: [
                "IdentityKit", "IdentityHTTP", "IdentityPresentation", "IdentitySandbox", "StorefrontSandbox",
                "ShopifyStorefront",
            ],
            path: "Examples/Setup",
            swiftSettings: settings
        ),
        example("shopify-login", []),
        example("bolt-login", ["IdentityBolt"]),
        // The shop uses only API that another package can use, and depends on no server.
        .target(
            name: "WebShop",
            dependencies: [
                "IdentityWeb", "IdentitySetup", "IdentityKit", "IdentityHTTP", "IdentitySQLite", "IdentityPostgres",
                "ShopifyStorefront", "ShopifyCustomerAccount", "ShopifyGraphQL",
            ],
            path: "Examples/web-shop/Shop",
            packageAccess: false,
            swiftSettings: settings
        ),
        // What the shop's programs for all servers have in common: command line, sandbox, signals and shutdown.
        .target(
            name: "WebShopStart",
            dependencies: ["WebShop", "IdentityWeb", "IdentityKit", "IdentitySandbox", "StorefrontSandbox"],
            path: "Examples/web-shop/Start",
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "web-shop",
            dependencies: ["WebShopStart", "IdentityDevelopmentServer"],
            path: "Examples/web-shop/Server",
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "identity-lab",
            dependencies: [
                "StorefrontSandbox",
                "IdentityPlatform",
                "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityOIDC", "IdentityShopify", "IdentityBolt",
                "IdentitySQLite",
                "IdentityPostgres", "ShopifyGraphQL", "ShopifyStorefront", "ShopifyCustomerAccount",
                "IdentityPresentation", "IdentitySandbox", "IdentitySetup",
                "IdentityWeb", "IdentityDevelopmentServer",
            ],
            swiftSettings: settings
        ),

        tests("IdentityCryptoTests", ["IdentityCrypto", "TestMemory"]),
        tests(
            "IdentityHTTPTests",
            ["IdentityLoopback", "IdentityPlatform", "IdentityHTTP", "IdentityTesting", "CIdentityOpenSSL"]
        ),
        tests("IdentityLoopbackTests", ["IdentityLoopback", "IdentityPlatform"]),
        tests(
            "IdentityKitTests",
            ["IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityCrypto", "IdentityTesting"]
        ),
        tests(
            "IdentityOIDCTests",
            [
                "IdentityLoopback", "IdentityOIDC", "IdentityKit", "IdentityHTTP", "IdentityCrypto", "IdentityTesting",
                "IdentitySandbox",
            ]
        ),
        tests(
            "IdentityShopifyTests",
            [
                "StorefrontSandbox", "IdentityLoopback", "IdentityShopify", "IdentityKit", "IdentityOIDC",
                "ShopifyGraphQL", "IdentityHTTP", "IdentityCrypto",
                "IdentityTesting",
                "IdentitySandbox",
            ]
        ),
        tests(
            "IdentityBoltTests",
            [
                "IdentityLoopback",
                "IdentityBolt", "IdentityKit", "IdentityOIDC", "IdentityHTTP", "IdentityCrypto", "IdentityTesting",
                "IdentitySandbox",
            ]
        ),
        tests(
            "IdentitySQLiteTests",
            [
                "IdentitySQLite", "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityCrypto",
                "IdentityTesting", "TestMemory", "TestStores",
            ]
        ),
        tests(
            "IdentityPostgresTests",
            [
                "IdentityPlatform",
                "IdentityPostgres", "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityCrypto",
                "IdentityTesting",
                "IdentitySandbox",
                "TestProcesses", "TestPostgres", "TestStores",
                "identity-lab",
            ]
        ),
        tests("ShopifyGraphQLTests", ["ShopifyGraphQL", "IdentityKit", "IdentityHTTP", "IdentityTesting"]),
        tests(
            "StorefrontGenerationTests",
            [
                "StorefrontGeneration", "GraphQLLanguage", "ShopifyGraphQL", "IdentityKit", "storefront-gen",
                "TestProcesses",
            ]
        ),
        tests(
            "ShopifyStorefrontTests",
            [
                "StorefrontSandbox",
                "IdentityLoopback",
                "ShopifyStorefront", "ShopifyGraphQL", "IdentityStoreKit", "IdentityKit", "IdentityHTTP",
                "IdentityTesting",
                "IdentitySandbox",
                "IdentityShopify",
                "IdentityBolt", "IdentitySQLite",
            ]
        ),
        tests(
            "ShopifyStorefrontExperimentalTests",
            [
                "StorefrontSandbox",
                "ShopifyStorefrontExperimental", "ShopifyStorefront", "ShopifyGraphQL", "IdentityKit", "IdentityHTTP",
                "IdentitySandbox", "IdentityTesting",
            ]
        ),
        // These tests use only API that another package can use: no @testable import, nothing with package access.
        tests(
            "IdentityWebTests",
            [
                "IdentityWeb", "IdentityDevelopmentServer", "IdentitySetup", "IdentityKit", "IdentityHTTP",
                "IdentityOIDC", "IdentitySQLite", "IdentitySandbox", "IdentityTesting", "ShopifyGraphQL",
                "ShopifyStorefront", "StorefrontSandbox", "TestStores",
            ]
        ),
        tests(
            "WebShopTests",
            [
                "WebShop", "web-shop", "shop-load", "IdentityDevelopmentServer", "IdentityWeb", "IdentitySetup",
                "IdentityKit",
                "IdentityPlatform", "IdentityHTTP", "IdentitySandbox", "StorefrontSandbox", "IdentityTesting",
                "TestProcesses",
                "TestPostgres", "TestStores",
            ]
        ),
        // The code sample of the page about a store of your own, with public API only.
        .testTarget(
            name: "StoreOfYourOwnTests",
            dependencies: ["IdentityStoreKit", "IdentityKit", "IdentityTesting"],
            packageAccess: false,
            swiftSettings: settings
        ),
        .target(
            name: "TestPostgres",
            dependencies: ["IdentityKit", "IdentityPlatform", "TestProcesses"],
            path: "Tests/Support/Postgres",
            swiftSettings: settings
        ),
        .target(name: "TestGuides", path: "Tests/Support/Guides", swiftSettings: settings),
        .target(
            name: "TestDoubles",
            dependencies: ["IdentityHTTP", "IdentityKit", "IdentityCrypto"],
            path: "Tests/Support/Doubles",
            swiftSettings: settings
        ),
        .target(
            name: "TestStores",
            dependencies: ["IdentityStoreKit", "IdentityKit", "IdentityCrypto", "IdentityTesting"],
            path: "Tests/Support/Stores",
            swiftSettings: settings
        ),
        .target(name: "TestDirectories", path: "Tests/Support/Directories", swiftSettings: settings),
        .target(
            name: "TestMemory",
            dependencies: ["CIdentityOpenSSL"],
            path: "Tests/Support/Memory",
            swiftSettings: settings
        ),
        .target(
            name: "TestProcesses",
            dependencies: ["IdentityPlatform"],
            path: "Tests/Support/Processes",
            swiftSettings: settings
        ),
        tests(
            "ShopifyCustomerAccountTests",
            [
                "StorefrontSandbox",
                "ShopifyCustomerAccount", "ShopifyGraphQL", "IdentityShopify", "IdentityKit", "IdentityHTTP",
                "IdentityTesting", "IdentitySandbox",
            ]
        ),
        tests(
            "ShopifyLegacyCustomersTests",
            [
                "StorefrontSandbox", "ShopifyCustomerAccount",
                "ShopifyLegacyCustomers", "ShopifyStorefront", "ShopifyGraphQL", "IdentityKit", "IdentityHTTP",
                "IdentityTesting", "IdentitySandbox",
            ]
        ),
        tests(
            "IdentityPresentationTests",
            [
                "IdentityLoopback", "IdentityPlatform", "IdentityPresentation", "IdentityKit", "IdentityHTTP",
                "IdentitySandbox",
            ]
        ),
        tests(
            "IdentitySandboxTests",
            [
                "StorefrontSandbox", "IdentityLoopback", "IdentitySandbox", "IdentityKit", "IdentityHTTP",
                "IdentityCrypto", "IdentityTesting",
            ]
        ),
        tests(
            "IdentityCertificationTests",
            [
                "IdentityLoopback", "IdentityOIDC", "IdentityKit", "IdentityHTTP", "IdentityCrypto", "IdentityTesting",
                "IdentitySandbox",
            ]
        ),
        .target(
            name: "Fuzzing",
            dependencies: [
                "IdentityLoopback",
                "IdentityStoreKit", "IdentityKit", "IdentityOIDC", "IdentityShopify", "IdentityBolt", "IdentitySQLite",
                "IdentityHTTP",
                "IdentityCrypto", "ShopifyGraphQL", "TestDirectories", "TestDoubles", "CIdentityCurl",
                "CIdentitySQLite",
            ],
            path: "Tests/Proofs/Fuzzing/Targets",
            swiftSettings: settings
        ),
        tests("FuzzingTests", ["Fuzzing"]),
        .executableTarget(
            name: "identity-simulator",
            dependencies: [
                "IdentityKit", "IdentityHTTP", "IdentityCrypto", "IdentityOIDC", "IdentityShopify", "IdentityBolt",
                "TestDoubles",
            ],
            path: "Tests/Proofs/Simulation",
            swiftSettings: settings
        ),
        .target(name: "StoreFaults", path: "Tests/Proofs/StoreFaults", linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(
            name: "store-proof",
            dependencies: [
                "IdentitySQLite", "IdentityStoreKit", "IdentityKit", "StoreFaults", "TestDirectories", "TestDoubles",
            ],
            path: "Tests/Proofs/StoreProof",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "identity-kill-loop",
            dependencies: [
                "IdentityPlatform",
                "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityOIDC", "IdentitySQLite", "IdentityPostgres",
                "IdentitySandbox", "IdentityTesting", "TestDirectories", "TestDoubles", "TestProcesses",
            ],
            path: "Tests/Proofs/KillLoop",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "shop-load",
            dependencies: [
                "WebShop", "IdentityDevelopmentServer", "IdentityWeb", "IdentityKit", "IdentityHTTP", "IdentitySandbox",
                "StorefrontSandbox", "TestDoubles", "TestProcesses",
            ],
            path: "Tests/Proofs/ShopLoad",
            swiftSettings: settings
        ),
        tests(
            "SessionProofTests",
            [
                "IdentityPlatform",
                "identity-simulator", "identity-kill-loop", "store-proof", "IdentityStoreKit", "IdentityKit",
                "IdentityHTTP",
                "IdentityOIDC",
                "IdentitySQLite", "IdentityPostgres", "IdentitySandbox", "TestPostgres", "TestProcesses",
            ]
        ),
        // The code samples of the providers' pages.
        tests(
            "SourcePageTests",
            [
                "StorefrontSandbox", "IdentityShopify", "IdentityBolt", "ShopifyStorefront", "ShopifyGraphQL",
                "IdentityKit",
                "IdentityHTTP", "IdentitySandbox", "IdentitySQLite", "IdentityStoreKit", "IdentityTesting",
            ]
        ),
        // The code samples of the documentation comments and of most pages, with public API only. No test target depends on this target, so
        // that tests in the samples are compiled and do not run.
        .target(
            name: "CommentSamples",
            dependencies: [
                "IdentityHTTP", "IdentityKit", "IdentityStoreKit", "IdentityOIDC", "IdentityShopify", "IdentityBolt",
                "IdentitySQLite", "IdentityPostgres", "ShopifyGraphQL", "ShopifyStorefront", "ShopifyCustomerAccount",
                "ShopifyLegacyCustomers", "IdentityWeb", "IdentityDevelopmentServer", "IdentityPresentation",
                "IdentitySandbox", "StorefrontSandbox", "IdentitySetup", "IdentityTesting",
            ],
            path: "Tests/CommentSampleTests/Samples",
            packageAccess: false,
            swiftSettings: settings
        ),
        .testTarget(
            name: "CommentSampleTests",
            dependencies: ["TestGuides"],
            exclude: ["Samples"],
            swiftSettings: settings
        ),
        tests("PublicVectorTests", ["IdentityOIDC", "IdentityKit", "IdentityCrypto", "ShopifyGraphQL"]),
        tests(
            "IdentityCanaryTests",
            [
                "StorefrontSandbox",
                "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityCrypto", "IdentityOIDC", "IdentityShopify",
                "IdentityBolt",
                "IdentitySQLite", "ShopifyGraphQL", "ShopifyStorefront", "ShopifyStorefrontExperimental",
                "IdentityPresentation", "IdentitySandbox", "IdentityTesting", "IdentityWeb",
            ]
        ),
        tests(
            "IdentityLabTests",
            [
                "StorefrontSandbox",
                "IdentityLoopback", "IdentityPlatform",
                "identity-lab", "IdentitySetup", "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentitySandbox",
                "IdentitySQLite", "IdentityTesting", "ShopifyStorefront", "ShopifyCustomerAccount",
                "TestProcesses",
            ]
        ),
    ]
)

// The libFuzzer program, which needs the compiler flags of Tests/Proofs/fuzz.
if Context.environment["IDENTITYKIT_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzzer",
            dependencies: ["Fuzzing"],
            path: "Tests/Proofs/Fuzzing/Driver",
            swiftSettings: settings
        )
    )
}

// The benchmarks, which run in release builds: Tests/Benchmarks/run.
if Context.environment["IDENTITYKIT_BENCHMARKS"] != nil {
    package.targets += [
        .target(
            name: "Yardsticks",
            dependencies: ["CIdentityOpenSSL", "CIdentityCurl"],
            path: "Tests/Benchmarks/Yardsticks"
        ),
        .target(
            name: "BenchmarkLogins",
            dependencies: ["IdentityHTTP", "IdentityKit", "IdentityOIDC"],
            path: "Tests/Benchmarks/Logins",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "identity-benchmarks-memory",
            dependencies: ["BenchmarkLogins", "IdentityKit"],
            path: "Tests/Benchmarks/Memory",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "identity-benchmarks",
            dependencies: [
                "Yardsticks", "BenchmarkLogins", "IdentityStoreKit", "IdentityKit", "IdentityHTTP", "IdentityOIDC",
                "IdentityCrypto",
                "IdentityShopify", "IdentitySQLite", "ShopifyStorefront", "ShopifyGraphQL", "StorefrontSandbox",
                "IdentitySandbox", "IdentityPostgres", "TestDoubles",
                "CIdentityCurl", "CIdentityOpenSSL", "CIdentitySQLite",
                .target(name: "CIdentityPostgres", condition: postgreSQL),
            ],
            path: "Tests/Benchmarks/Suite",
            swiftSettings: settings
        ),
    ]
}
