// swift-tools-version: 6.3
import PackageDescription

// The web shop of ../web-shop on FlyingFox. SwiftPM cannot depend on a package in a subfolder of a repository, so copy
// Adapter.swift into your app (Documentation/Using/FlyingFox.md).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func sdk(_ name: String) -> Target.Dependency { .product(name: name, package: "IdentityKit") }

let package = Package(
    name: "flyingfox-shop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "IdentityKit", path: "../.."),
        // Below version 1, a minor version may change the API.
        .package(url: "https://github.com/swhitty/FlyingFox.git", .upToNextMinor(from: "0.27.1")),
    ],
    targets: [
        .executableTarget(
            name: "flyingfox-shop",
            dependencies: [
                sdk("ExampleWebShop"), sdk("IdentityWeb"), sdk("IdentityHTTP"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FlyingFoxShopTests",
            dependencies: [
                "flyingfox-shop", sdk("IdentityWeb"), sdk("IdentityKit"), sdk("IdentityTesting"),
                sdk("ShopifyStorefront"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: settings
        ),
    ]
)
