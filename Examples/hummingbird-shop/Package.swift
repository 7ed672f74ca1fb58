// swift-tools-version: 6.3
import PackageDescription

// The web shop of ../web-shop on Hummingbird. SwiftPM cannot depend on a package in a subfolder of a repository, so copy
// Adapter.swift into your app (Documentation/Using/Hummingbird.md).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func sdk(_ name: String) -> Target.Dependency { .product(name: name, package: "IdentityKit") }

let package = Package(
    name: "hummingbird-shop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "IdentityKit", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
    ],
    targets: [
        .executableTarget(
            name: "hummingbird-shop",
            dependencies: [
                sdk("ExampleWebShop"), sdk("IdentityWeb"), sdk("IdentityKit"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // Tests/Proofs/nested-packages adds the root package's browser tests in a folder Browser.
        .testTarget(
            name: "HummingbirdShopTests",
            dependencies: [
                "hummingbird-shop", sdk("ExampleWebShop"), sdk("IdentityWeb"), sdk("IdentityKit"), sdk("IdentityHTTP"),
                sdk("IdentitySandbox"), sdk("StorefrontSandbox"), sdk("ShopifyStorefront"), sdk("IdentityTesting"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
    ]
)
