internal import IdentityKit

struct AppleQuirks: OpenIDQuirks {
    var settings: OpenIDQuirkSettings {
        var settings = OpenIDQuirkSettings()
        settings.readsUserParameter = true
        return settings
    }

    // Apple may send `email_verified` as the text "true" instead of the Boolean.
    func buyer(from claims: IDTokenClaims) -> Buyer {
        var buyer = claims.standardBuyer
        if claims.text("email_verified") == "true" { buyer.email?.isVerified = true }
        return buyer
    }
}

struct MultiTenantQuirks: OpenIDQuirks {
    let template: TenantIssuerTemplate

    var settings: OpenIDQuirkSettings {
        var settings = OpenIDQuirkSettings()
        // The metadata name the template as issuer, but ID tokens name the issuer of the buyer's tenant.
        settings.bindsDiscoveredIssuer = false
        settings.issuerTemplate = template
        return settings
    }
}
