// swift-tools-version: 6.3
import PackageDescription

// Measures rows of ../Suite with other Swift libraries: Tests/Benchmarks/run --peers.
let package = Package(
    name: "swift-peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.0"),
    ],
    targets: [
        .target(name: "Yardsticks"),
        .executableTarget(
            name: "swift-peers",
            dependencies: [
                "Yardsticks",
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            path: "Sources/Peers",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ],
            // GRDB refers to snapshot functions that Debian's SQLite does not have. No row calls them, so the linker may leave them
            // unresolved.
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--unresolved-symbols=ignore-all"], .when(platforms: [.linux]))
            ]
        ),
    ]
)
