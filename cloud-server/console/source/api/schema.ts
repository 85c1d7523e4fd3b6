// Made from the OpenAPI document by client.mjs: change cloud-server/admin/interface/openapi, not this file.
export interface paths {
    "/api/v1/accuracy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How often devices were right */
        get: operations["get_accuracy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approval-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which packages take two people */
        get: operations["get_approval_policy"];
        /** Which packages take two people */
        put: operations["put_approval_policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Requests, newest first, and the policy */
        get: operations["get_approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One request */
        get: operations["get_approvals_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Agree: the call is carried out in the name of who asked */
        post: operations["post_approvals_id_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refuse it */
        post: operations["post_approvals_id_reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who did what */
        get: operations["get_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Walk the whole chain */
        get: operations["get_audit_verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Campaigns, newest first */
        get: operations["get_campaigns"];
        put?: never;
        /** Start several releases in order */
        post: operations["post_campaigns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One campaign with its releases */
        get: operations["get_campaigns_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/halt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** No new devices; who has something keeps it */
        post: operations["post_campaigns_id_halt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What its releases gave runs nowhere */
        post: operations["post_campaigns_id_kill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause it and its releases */
        post: operations["post_campaigns_id_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume what it paused */
        post: operations["post_campaigns_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Devices that failed try again */
        post: operations["post_campaigns_id_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/campaigns/{id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Its releases go back */
        post: operations["post_campaigns_id_rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let go what was kept long enough */
        post: operations["post_collect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether these bytes are here */
        get: operations["get_content_sha256"];
        /** Upload sealed bytes */
        put: operations["put_content_sha256"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Devices, in order of their ids */
        get: operations["get_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One device */
        get: operations["get_devices_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Block or unblock it */
        post: operations["post_devices_id_block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Erase what is known of who uses it */
        post: operations["post_devices_id_erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was erased, newest first */
        get: operations["get_devices_id_erasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}/new-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask it to make new keys */
        post: operations["post_devices_id_new_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All that the operator calls it */
        get: operations["get_devices_id_tags"];
        /** All that the operator calls it */
        put: operations["put_devices_id_tags"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why it has a release or has not */
        get: operations["get_devices_id_why"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tag, untag, block, unblock or call many devices */
        post: operations["post_devices_bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/bulk/{undo}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take it back from the devices that it changed */
        post: operations["post_devices_bulk_undo_undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many devices of a search have which values */
        get: operations["get_devices_facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many devices ran which version at the end of each day */
        get: operations["get_fleet_days"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What tasks did and streams brought in, of all devices, by day */
        get: operations["get_fleet_use"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Groups by name */
        get: operations["get_groups"];
        put?: never;
        /** Create a group */
        post: operations["post_groups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A group and its devices; of a rule those among the next of the fleet */
        get: operations["get_groups_name"];
        /** Another rule */
        put: operations["put_groups_name"];
        post?: never;
        /** Delete a group that nothing names */
        delete: operations["delete_groups_name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{name}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change a list */
        post: operations["post_groups_name_devices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/have": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether the devices whose have texts came with requests of their apps are to pull; answered from memory */
        post: operations["post_have"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/join-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens that let devices join */
        get: operations["get_join_tokens"];
        put?: never;
        /** Make one; shown once */
        post: operations["post_join_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/labels/{set}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Right answers by key, which devices never see */
        put: operations["put_labels_set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Server-sent events: status, release, verify */
        get: operations["get_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in with a password */
        post: operations["post_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End this session */
        post: operations["post_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/losses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rows that were acknowledged once and are gone */
        get: operations["get_losses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user that calls */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metadata/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A signed document */
        get: operations["get_metadata_role"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metadata/root": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Upload a root */
        put: operations["put_metadata_root"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/new-device-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many devices still have the old ones */
        get: operations["get_new_device_keys"];
        put?: never;
        /** Ask all devices to make new keys */
        post: operations["post_new_device_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the sign-in page offers beside passwords */
        get: operations["get_oidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oidc/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the issuer sends browsers back to; answers 303 to the console, with a session or with ?refused= */
        get: operations["get_oidc_return"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin to sign in at the issuer; sets a cookie for the way back */
        get: operations["get_oidc_start"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/online-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the publisher's next root shall name */
        get: operations["get_online_keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["get_openapi_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Published versions, and withdrawn ones */
        get: operations["get_packages"];
        put?: never;
        /** Publish: signed targets and the content keys */
        post: operations["post_packages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/{name}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One version */
        get: operations["get_packages_name_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/{name}/{version}/contents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The files of a version */
        get: operations["get_packages_name_version_contents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/{name}/{version}/contents/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of a version as text; the path may hold slashes; .manifest.json is the manifest. Every call is in the audit log */
        get: operations["get_packages_name_version_contents_path"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/{name}/{version}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The graph of a model: nodes, shapes, estimated cost, quantisation */
        get: operations["get_packages_name_version_graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/personal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files for single devices */
        get: operations["get_personal"];
        put?: never;
        /** Give or take files of single devices */
        post: operations["post_personal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rows that could not be kept */
        get: operations["get_refusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Releases, newest first */
        get: operations["get_releases"];
        put?: never;
        /** Create a release, and start it where start is true */
        post: operations["post_releases"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One release */
        get: operations["get_releases_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Leave a stage that waits for a person; a pause stays */
        post: operations["post_releases_id_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/halt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** No new devices; who has it keeps it */
        post: operations["post_releases_id_halt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** It runs nowhere from now on */
        post: operations["post_releases_id_kill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Members in order of their devices */
        get: operations["get_releases_id_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** No new devices; the clock stands */
        post: operations["post_releases_id_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** On to the next stage without the gates */
        post: operations["post_releases_id_promote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go on */
        post: operations["post_releases_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Devices that failed try again */
        post: operations["post_releases_id_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send every device back */
        post: operations["post_releases_id_rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How it went over time */
        get: operations["get_releases_id_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a draft */
        post: operations["post_releases_id_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/default-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a release gets that says nothing of its own */
        get: operations["get_releases_default_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whom a plan would reach, and why not the others */
        post: operations["post_releases_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This session */
        get: operations["get_session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One's own sessions */
        get: operations["get_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of them */
        delete: operations["delete_sessions_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the server is */
        get: operations["get_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams of devices */
        get: operations["get_streams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/streams/{stream}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rows in order of arrival */
        get: operations["get_streams_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tasks that were made of git repositories */
        get: operations["get_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{package}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The draft as a plain package, for ferry publish to sign */
        post: operations["post_tasks_package_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{package}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of each version, newest first */
        get: operations["get_tasks_package_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a draft on recorded cases, in the sandbox of simulations */
        post: operations["post_tasks_try"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Users by name */
        get: operations["get_users"];
        put?: never;
        /** Create a user */
        post: operations["post_users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user */
        get: operations["get_users_name"];
        /** Change role, scope, or whether it may log in */
        put: operations["put_users_name"];
        post?: never;
        /** Delete a user with its sessions and tokens */
        delete: operations["delete_users_name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set a password; all sessions and tokens of the user end */
        put: operations["put_users_name_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/searches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Searches that a user keeps */
        get: operations["get_users_name_searches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/searches/{search}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Keep a search */
        put: operations["put_users_name_searches_search"];
        post?: never;
        /** Forget it */
        delete: operations["delete_users_name_searches_search"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens of programs that call as this user */
        get: operations["get_users_name_tokens"];
        put?: never;
        /** Make a token; shown once */
        post: operations["post_users_name_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a token */
        delete: operations["delete_users_name_tokens_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Confirm it by a code */
        put: operations["put_users_name_totp"];
        /** Begin a second factor; shown once */
        post: operations["post_users_name_totp"];
        /** Remove it */
        delete: operations["delete_users_name_totp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/verify/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions of devices with them */
        get: operations["get_verify_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/verify/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Language models that verify drafts */
        get: operations["get_verify_targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whom the server tells what happened */
        get: operations["get_webhooks"];
        put?: never;
        /** Add one */
        post: operations["post_webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove it */
        delete: operations["delete_webhooks_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of events */
        get: operations["get_webhooks_id_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell again what happened since */
        post: operations["post_webhooks_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The server lives */
        get: operations["get_healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prometheus text */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether what the server stands on answers; 503 names what does not */
        get: operations["get_readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tuf/metadata/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Signed metadata as TUF clients ask for it */
        get: operations["get_tuf_metadata_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tuf/targets/{package}/{version}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A sealed artefact */
        get: operations["get_tuf_targets_package_version_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tuf/targets/{package}/{version}/{folder}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A sealed artefact */
        get: operations["get_tuf_targets_package_version_folder_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccuracyCount: {
            accuracy: number | null;
            latency: {
                p50: number;
                p99: number;
                rows: number;
            };
            right: number;
            rows: number;
        };
        ApiToken: {
            created_ms: number;
            expires_ms: number;
            groups: string[];
            id: string;
            last_used_ms: number | null;
            name: string;
            packages: string[];
            role: components["schemas"]["Role"];
            user: string;
        };
        /** @description A call that waits for a second person */
        Approval: {
            asked_ms: number;
            /** @description As it was sent */
            body: unknown;
            body_sha256: string;
            decided_by: string;
            decided_ms: number | null;
            expires_ms: number;
            id: string;
            method: string;
            package: string;
            path: string;
            reason: string;
            /** @enum {string} */
            state: "open" | "done" | "failed" | "rejected" | "expired";
            /** @description Who asked */
            user: string;
        };
        ApprovalPolicy: {
            /** @description Globs of packages whose releases take two people */
            packages: string[];
        };
        Artefact: {
            base_version: string;
            /** @enum {string} */
            kind: "full" | "delta" | "exclusive" | "made";
            length: number;
            path: string;
            sha256: string;
        };
        Assignment: {
            /** @enum {string} */
            action: "install" | "rollback" | "none";
            counter: number;
            done: boolean;
            exclusive: string[];
            made_ms: number;
            release: string;
            targets: string[];
        };
        AuditHead: {
            hash: string;
            seq: number;
        };
        AuditRow: {
            action: string;
            hash: string;
            /** @enum {string} */
            outcome: "done" | "refused" | "failed";
            package: string;
            prev_hash: string;
            reason: string;
            seq: number;
            /** @description The address that called */
            source: string;
            target: string;
            time_ms: number;
            user: string;
        };
        BulkChange: {
            /** @description By this call; of a dry run: that it would */
            changed: number;
            /** @description The first 20 that changed */
            devices: string[];
            matched: number;
            /** @description Matched, and not the caller's to change */
            out_of_scope: number;
            /** @description Within a week */
            undo: string | null;
        };
        Campaign: {
            by: string;
            created_ms: number;
            groups: string[] | null;
            id: string;
            name: string;
            reason: string;
            started_releases: string[];
            /** @enum {string} */
            state: "waiting" | "running" | "paused" | "complete" | "stopped" | "halted" | "rolling_back" | "rolled_back" | "killed";
        };
        CampaignInFull: components["schemas"]["Campaign"] & {
            deadline_ms: number;
            events: {
                kind: string;
                seq: number;
                text: string;
                time_ms: number;
            }[];
            /** @enum {string} */
            on_stop: "stop" | "rollback_all";
            releases: components["schemas"]["CampaignRelease"][];
            start_ms: number;
        };
        CampaignRelease: {
            /** @enum {string} */
            after: "complete" | "first_stage";
            confirmed?: number;
            failed?: number;
            offered?: number;
            package: string;
            per_minute?: number | null;
            rate?: {
                [key: string]: unknown;
            };
            reason?: string;
            release: string | null;
            retries?: {
                [key: string]: unknown;
            };
            stage?: number;
            state: string | null;
            version: string;
            when?: {
                [key: string]: unknown;
            };
        };
        Content: {
            blobs: number;
            bytes: number;
            unused_blobs: number;
            unused_bytes: number;
        };
        /** @description As the signed document says it */
        DesiredPackage: {
            [key: string]: unknown;
        };
        Device: {
            app_version: string;
            at_rest: boolean;
            blocked: boolean;
            device_class: string;
            enrolled_ms: number;
            extra: {
                [key: string]: string;
            };
            /** @description Rounded down */
            free_bytes: number | null;
            /** @description Fixed lists that name it */
            groups: string[];
            id: string;
            isa: string[];
            last_seen_ms: number;
            measured_class: string;
            memory_bytes: number | null;
            operator_tags: string[];
            os: string;
            root_version: number | null;
            /** @description Version by package */
            running: {
                [key: string]: string;
            };
            runtime_version: string;
            /** @description How its state directory was found: restored or copied */
            state?: string;
            state_ms?: number;
            /** @description Its own words */
            tags: string[];
            user: {
                [key: string]: string;
            };
            utc_offset_minutes: number | null;
        };
        DeviceInFull: components["schemas"]["Device"] & {
            assignment: components["schemas"]["Assignment"];
            clock_ahead_ms: number | null;
            desired: {
                epoch: number;
                packages: {
                    [key: string]: components["schemas"]["DesiredPackage"];
                };
                settled: boolean;
            };
            members: components["schemas"]["Member"][];
            packages: {
                disabled: boolean;
                name: string;
                release: string;
                version: string;
            }[];
            /** @description Newest first */
            reports: components["schemas"]["Report"][];
        };
        DroppedRows: {
            events: number;
            losses: number;
            marks: number;
            records: number;
            refused: number;
            reports: number;
        };
        Erasure: {
            asked_by: string;
            asked_ms: number;
            /** @description null: it has not said */
            device: components["schemas"]["Receipt"] | null;
            id: number;
            records: number;
            refused: number;
            texts: number;
        };
        Error: {
            code: number;
            column?: number;
            /** @description Which member of body or query: stages[1].who */
            field?: string;
            /** @description In a rule, from 1 */
            line?: number;
            name: string;
            /** @description What the caller may do about it: login, code, reload */
            next?: string;
            text: string;
        };
        Event: {
            kind: string;
            numbers: {
                [key: string]: unknown;
            };
            seq: number;
            text: string;
            time_ms: number;
        };
        FacetValue: {
            count: number;
            /** @description The search for it */
            filter: string;
            value: string;
        };
        Failure: {
            /** @description Id of the request that another user has to agree to */
            approval?: string;
            /** @description 412: the thing as it is now */
            current?: unknown;
            error: components["schemas"]["Error"];
        };
        Gate: {
            control: number;
            decision: string;
            devices: number;
            evidence: number;
            failed: number;
            healthy: number;
            metric: string;
            pending: number;
            slice: string;
            stage: string;
            stop: boolean;
            /** @description From here on it stops */
            threshold: number;
        };
        GitOrigin: {
            commit: string;
            scenario: string;
            tag: string;
            task: string;
        };
        GraphNode: {
            attributes: {
                [key: string]: unknown;
            };
            /** @description Read and written, each once */
            bytes?: number;
            /** @description Numbers of values; -1: left out */
            inputs: number[];
            /** @description Multiplications with an addition, estimated from shapes */
            macs?: number;
            more_values?: number;
            name: string;
            op: string;
            outputs: number[];
            /** @description Why its shapes do not fit */
            problem?: string;
            /** @description What the profile in the package says that it took */
            reported_us?: number;
            weight_bytes: number;
        };
        GraphValue: {
            /** @description Of a constant, as stored */
            bytes?: number;
            dtype: string | null;
            name: string;
            /** @description Extents, and names of free ones; null: known when it runs */
            shape: unknown[] | null;
        };
        Group: {
            created_ms: number;
            devices_listed?: number;
            /** @description Of a rule that this server does not understand */
            error?: string;
            /** @enum {string} */
            kind: "list" | "rule";
            name: string;
            rule?: string;
        };
        Member: {
            attempt: number;
            back: boolean;
            by_push: boolean;
            bytes_pulled: number;
            control: boolean;
            device: string;
            done: boolean;
            error_code: number;
            error_name: string;
            error_text: string;
            had_version: string | null;
            metrics: {
                [key: string]: number;
            };
            offered_ms: number;
            /** @enum {string} */
            outcome: "open" | "healthy" | "failed" | "device_cause";
            overdue: boolean;
            release: string;
            stage: number;
            step: string;
            step_ms: number;
            was_delta: boolean;
        };
        ModelGraph: {
            /** @description Free dimensions that were taken as 1 */
            assumed: string[];
            /** @enum {string} */
            cost: "estimated";
            /** @description From node, to node, value */
            edges: number[][];
            edges_left_out?: number;
            file: string;
            format: number;
            /** @description Numbers of values */
            inputs: number[];
            /** @enum {string} */
            kind: "model_graph";
            /** @description Nodes past the limit */
            left_out: number;
            macs: number;
            name: string;
            node_count: number;
            /** @description In execution order */
            nodes: components["schemas"]["GraphNode"][];
            outputs: number[];
            parameters: number;
            quantization: {
                bytes_after: number;
                bytes_before: number;
                nodes: components["schemas"]["QuantizedNode"][];
            };
            reported?: {
                elsewhere_us?: number;
                /** @description Nodes */
                of?: number;
                problem?: string;
                us?: number;
            };
            values: components["schemas"]["GraphValue"][];
            weight_bytes: number;
        };
        NewSession: {
            /** @description With a cookie: X-Ferry-CSRF of every call but GET */
            csrf?: string;
            expires_ms: number;
            idle_ms?: number;
            role?: components["schemas"]["Role"];
            /** @description Bearer token */
            token?: string;
            user?: string;
        };
        OpenSession: {
            agent: string;
            created_ms: number;
            expires_ms: number;
            id: string;
            /** @enum {string} */
            kind: "cookie" | "bearer";
            last_ms: number;
            own: boolean;
            peer: string;
        };
        OwnSession: {
            csrf?: string;
            expires_ms?: number;
            features: string[];
            groups: string[];
            idle_ms?: number;
            /** @description An issuer vouches for the user */
            oidc: boolean;
            packages: string[];
            role: components["schemas"]["Role"];
            user: string;
        };
        Package: {
            description?: string;
            /** @description How many say that they have it; in lists */
            devices?: number;
            fallback_version: string;
            licence?: string;
            name: string;
            /** @description name/version; in lists */
            path?: string;
            plain_length: number;
            plain_sha256: string;
            published_ms: number;
            release_counter: number;
            requires?: {
                [key: string]: unknown;
            };
            version: string;
        };
        PersonalFile: {
            added_by: string;
            added_ms: number;
            device: string;
            length: number;
            name: string;
            package: string;
            sha256: string;
        };
        QuantizedNode: {
            activations: components["schemas"]["QuantizedValue"][];
            node: number;
            weights: components["schemas"]["QuantizedValue"][];
        };
        QuantizedValue: {
            bits: number;
            bytes_after?: number;
            bytes_before?: number;
            dtype: string;
            input: number;
            name?: string;
            scale_max?: number;
            scale_min?: number;
            scales?: number;
            scheme: string;
            symmetric: boolean;
        };
        Receipt: {
            heard_ms: number;
            number: number;
            receipt: unknown;
        };
        Release: {
            counts: {
                back: number;
                control: number;
                device_cause: number;
                failed: number;
                healthy: number;
                members: number;
                overdue: number;
                returned: number;
            };
            created_ms: number;
            fallback_version: string;
            id: string;
            package: string;
            paused_from: components["schemas"]["ReleaseState"] | null;
            reason: string;
            rule: string;
            salt: string;
            stage: number;
            stage_kind: string;
            stage_name: string;
            state: components["schemas"]["ReleaseState"];
            stopped_slices: string[];
            trusted_only: boolean;
            version: string;
        };
        ReleaseInFull: components["schemas"]["Release"] & {
            events: components["schemas"]["Event"][];
            exclusive: {
                device: string;
                path: string;
            }[];
            gates: components["schemas"]["Gate"][];
            /** @description The first 200; all in pages below /members */
            members: components["schemas"]["Member"][];
            per_minute?: number;
            rate?: {
                [key: string]: unknown;
            };
            retries?: {
                [key: string]: unknown;
            };
            stages: components["schemas"]["StageNow"][];
            when?: {
                [key: string]: unknown;
            };
        };
        /** @enum {string} */
        ReleaseState: "draft" | "simulating" | "beta" | "gray" | "full" | "complete" | "paused" | "rolling_back" | "rolled_back" | "stopped" | "failed_simulation" | "superseded" | "killed";
        Report: {
            by_push: boolean;
            bytes_pulled: number;
            device: string;
            epoch: number;
            error_code: number;
            error_name: string;
            error_text: string;
            metrics: {
                [key: string]: number;
            };
            package: string;
            previous_version: string;
            received_ms: number;
            release_id: string;
            seq: number;
            step: string;
            /** @description By the device's clock */
            time_ms: number;
            version: string;
            was_delta: boolean;
        };
        /** @enum {string} */
        Role: "viewer" | "developer" | "releaser" | "approver" | "admin";
        Search: {
            filter: string;
            list: string;
            name: string;
            sort: string;
        };
        SeriesPoint: {
            back: number;
            /** @description By slice: the value, and where it stops */
            evidence: {
                [key: string]: number[];
            };
            failed: number;
            healthy: number;
            members: number;
            time_ms: number;
        };
        Stage: {
            /** @description Percent of the stage that is held back to compare with */
            control?: number;
            hold?: boolean;
            /** @enum {string} */
            kind: "simulation" | "beta" | "gray" | "full";
            max_memory_ratio?: number;
            max_time_ratio?: number;
            min_healthy_ms?: number;
            min_reports?: number;
            name?: string;
            /** @description Of a gray stage */
            percent?: number;
            report_timeout_ms?: number;
            same_outputs?: boolean;
            /** @description Rule of a beta stage */
            who?: string;
        };
        StageNow: components["schemas"]["Stage"] & {
            approved: boolean;
            confirmed: number;
            entered_ms: number;
            failed: number;
            held_back: number;
            index: number;
            left_ms: number;
            members: number;
            offered: number;
            planned: number;
            silent: number;
        };
        Status: {
            content?: components["schemas"]["Content"] | null;
            devices: number;
            dropped?: components["schemas"]["DroppedRows"];
            expires?: {
                expires_ms: number;
                /** @enum {string} */
                state: "ok" | "soon" | "urgent" | "expired";
                what: string;
            }[];
            /** @description What this server can beyond its first version */
            features: string[];
            losses: number;
            metadata: {
                [key: string]: number;
            };
            packages: number;
            records: {
                lost: number;
                refused: number;
            };
            refused_records: number;
            releases: {
                id: string;
                package: string;
                reason: string;
                state: components["schemas"]["ReleaseState"];
                version: string;
            }[];
            restored?: {
                backup_ms: number;
                restored_ms: number;
            };
            schema: number;
            sizes: {
                database: number;
                free: number;
                log: number;
            };
            streams: {
                bytes: number;
                devices: number;
                rows: number;
                stream: string;
            }[];
            time_ms: number;
            version: string;
        };
        StreamUse: {
            bytes: number;
            devices: number;
            rows: number;
        };
        TaskUse: {
            devices: number;
            events: number;
            failures: number;
            inferences: number;
            /** @description By triggers and rules */
            starts: number;
        };
        TaskVersion: {
            commit: string;
            release_counter: number;
            tag: string;
            version: string;
        };
        User: {
            created_ms: number;
            disabled: boolean;
            /** @description Whose devices it may reach; none: all */
            groups: string[];
            name: string;
            /** @description An issuer vouches for it: no password here, role and scope come from there */
            oidc: boolean;
            /** @description Globs of the packages that it may change */
            packages: string[];
            role: components["schemas"]["Role"];
            totp: boolean;
        };
        Webhook: {
            created_ms: number;
            cursor: number;
            error: string;
            events: string[];
            id: string;
            next_ms: number | null;
            tries: number;
            url: string;
            user: string;
            /** @description Events that it was not told yet; in lists */
            waiting?: number;
        };
        Withdrawn: {
            name: string;
            reason: string;
            release_counter: number;
            version: string;
        };
    };
    responses: {
        /** @description What went wrong; the status is that of its code */
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_accuracy: {
        parameters: {
            query?: {
                key?: string;
                set?: string;
                stream?: string;
                value?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccuracyCount"] & {
                        /** @description By the day of the record, UTC */
                        days: {
                            [key: string]: components["schemas"]["AccuracyCount"];
                        };
                        devices: {
                            [key: string]: components["schemas"]["AccuracyCount"];
                        };
                        missing: number;
                        unlabelled: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_approval_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalPolicy"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_approval_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalPolicy"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalPolicy"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_approvals: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        approvals: components["schemas"]["Approval"][];
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        policy: components["schemas"]["ApprovalPolicy"];
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_approvals_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_approvals_id_approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Of the call */
                        answer: unknown;
                        /** @description Its id */
                        approval: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_approvals_id_reject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_audit: {
        parameters: {
            query?: {
                /** @description Number of the last row seen */
                after?: number;
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                package?: string;
                since_ms?: number;
                sort?: "seq" | "-seq";
                /** @description Count all that the filter lets through */
                total?: "1";
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        head: components["schemas"]["AuditHead"];
                        next: number | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        rows: components["schemas"]["AuditRow"][];
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_audit_verify: {
        parameters: {
            query?: {
                /** @description Of a head that was kept */
                hash?: string;
                /** @description Of a head that was kept */
                seq?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        broken?: {
                            seq: number;
                            why: string;
                        };
                        first_seq: number;
                        head: components["schemas"]["AuditHead"];
                        ok: boolean;
                        rows: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_campaigns: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        campaigns: components["schemas"]["Campaign"][];
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    deadline?: string;
                    name: string;
                    /** @enum {string} */
                    on_stop?: "stop" | "rollback_all";
                    rate?: {
                        [key: string]: unknown;
                    };
                    releases: {
                        [key: string]: unknown;
                    }[];
                    retries?: {
                        [key: string]: unknown;
                    };
                    /** @description UTC, 2026-12-01T02:00:00Z */
                    start?: string;
                    when?: {
                        [key: string]: unknown;
                    };
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_campaigns_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns_id_halt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns_id_kill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns_id_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns_id_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_campaigns_id_rollback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CampaignInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_collect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: {
                            blobs: number;
                            bytes: number;
                            dropped_blobs: number;
                            dropped_bytes: number;
                            unused: {
                                dropped: boolean;
                                length: number;
                                sha256: string;
                                since_ms: number;
                            }[];
                            unused_blobs: number;
                            unused_bytes: number;
                        };
                        dropped: components["schemas"]["DroppedRows"];
                        dry_run: boolean;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_content_sha256: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        length: number;
                        sha256: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_content_sha256: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        existed: boolean;
                        length: number;
                        sha256: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_devices: {
        parameters: {
            query?: {
                /** @description The last id seen */
                after?: string;
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule; it also knows columns, text(..) and runs("package") == "version" */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        devices: components["schemas"]["Device"][];
                        /** @description In order of ids: the last one, for after */
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_devices_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_devices_id_block: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocked: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_devices_id_erase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_devices_id_erasures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        erasures: components["schemas"]["Erasure"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_devices_id_new_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asked: number;
                        waiting: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_devices_id_tags: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tags: string[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_devices_id_tags: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    tags: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_devices_id_why: {
        parameters: {
            query?: {
                /** @description Left out: the newest */
                release?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        assigned: boolean;
                        device: string;
                        matches_rule: boolean;
                        release: string;
                        text: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_devices_bulk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    action: "tag" | "untag" | "block" | "unblock" | "poll";
                    dry_run?: boolean;
                    /** @description A rule over devices; this or ids */
                    filter?: string;
                    ids?: string[];
                    tag?: string;
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkChange"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_devices_bulk_undo_undo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                undo: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkChange"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_devices_facets: {
        parameters: {
            query?: {
                /** @description Left out: all */
                filter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        facets: {
                            [key: string]: components["schemas"]["FacetValue"][];
                        };
                        total: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_fleet_days: {
        parameters: {
            query?: {
                /** @description Up to today; left out: 30, at most 400 */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        days: {
                            /** @description 2026-11-27, UTC */
                            day: string;
                            devices: number;
                            packages: {
                                [key: string]: {
                                    [key: string]: number;
                                };
                            };
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_fleet_use: {
        parameters: {
            query?: {
                /** @description Up to today; left out: 30, at most 400 */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        days: {
                            /** @description 2026-11-27, UTC */
                            day: string;
                            streams: {
                                [key: string]: components["schemas"]["StreamUse"];
                            };
                            tasks: {
                                [key: string]: {
                                    [key: string]: components["schemas"]["TaskUse"];
                                };
                            };
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_groups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        groups: components["schemas"]["Group"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_groups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    devices?: string[];
                    name: string;
                    rule?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_groups_name: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"] & {
                        devices: string[];
                        next: string | null;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_groups_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    rule: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_groups_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_groups_name_devices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    add?: string[];
                    remove?: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"] & {
                        added: number;
                        removed: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_have: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of ferry_have_text, at most 1000 */
                    texts: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For ferry_take_text, in the same order; empty: there is nothing to pull */
                        texts: string[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_join_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        join_tokens: {
                            created_ms: number;
                            expires_ms: number;
                            id: string;
                            tags: string[];
                            uses: number;
                            uses_left: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_join_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    tags?: string[];
                    uses?: number;
                    valid_ms?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        expires_ms: number;
                        id: string;
                        /** @description Hexadecimal */
                        secret: string;
                        tags: string[];
                        /** @description What a device's --join takes */
                        token: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_labels_set: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                set: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    labels: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        labels: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the second factor, or one that recovers */
                    code?: string;
                    /** @description For browsers: a session by cookie, without token */
                    cookie?: boolean;
                    password: string;
                    /** @description Left out: admin, or the one-time password */
                    user?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSession"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_losses: {
        parameters: {
            query?: {
                device?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        losses: {
                            device: string;
                            first_seq: number;
                            last_seq: number;
                            noted_ms: number;
                            outbox: string;
                            records: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_metadata_role: {
        parameters: {
            query?: {
                /** @description Left out: the newest */
                version?: number;
            };
            header?: never;
            path: {
                role: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        document: string;
                        expires_ms: number;
                        role: string;
                        version: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_metadata_root: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    before?: string[];
                    document: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_new_device_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        waiting: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_new_device_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asked: number;
                        waiting: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_oidc: {
        parameters: {
            query?: {
                /** @description Of the address that a browser was sent to when it came back in vain */
                refused?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Of the issuer; null: there is none */
                        name: string | null;
                        /** @description What to tell about it */
                        refused: string | null;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_oidc_return: {
        parameters: {
            query?: {
                code?: string;
                error?: string;
                iss?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_oidc_start: {
        parameters: {
            query?: {
                /** @description Where the console goes on: #/... */
                goal?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where the browser goes */
                        url: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_online_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            [key: string]: unknown;
                        };
                        waiting: string[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_packages: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        packages: components["schemas"]["Package"][];
                        total?: number;
                        withdrawn: components["schemas"]["Withdrawn"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_packages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    absent?: string[];
                    bins?: {
                        [key: string]: string;
                    };
                    force?: boolean;
                    keys: {
                        enc: string;
                        path: string;
                        sealed: string;
                    }[];
                    root?: string;
                    targets?: string;
                    targets_above_bins?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        packages: components["schemas"]["Package"][];
                        targets_version: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_packages_name_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Package"] & {
                        artefacts: components["schemas"]["Artefact"][];
                        git?: components["schemas"]["GitOrigin"];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_packages_name_version_contents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        content: "task" | "model";
                        files: {
                            length: number;
                            path: string;
                            sha256: string;
                        }[];
                        package: string;
                        version: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_packages_name_version_contents_path: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                path: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        length: number;
                        path: string;
                        sha256: string;
                        /** @description The text was taken out of a compiled script */
                        source: boolean;
                        text: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_packages_name_version_graph: {
        parameters: {
            query?: {
                /** @description The .fm file, where the package has several */
                model?: string;
            };
            header?: never;
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelGraph"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_personal: {
        parameters: {
            query?: {
                /** @description DEVICE/NAME */
                after?: string;
                device?: string;
                limit?: number;
                package?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        files: components["schemas"]["PersonalFile"][];
                        next: string | null;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_personal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    package: string;
                    put?: {
                        device: string;
                        enc: string;
                        entry: {
                            [key: string]: unknown;
                        };
                        name: string;
                        sealed: string;
                    }[];
                    remove?: {
                        device: string;
                        name: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        devices: number;
                        put: number;
                        removed: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_refusals: {
        parameters: {
            query?: {
                device?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        refusals: {
                            device: string;
                            error_code: number;
                            error_name: string | null;
                            outbox: string;
                            reason: string;
                            received_ms: number;
                            seq: number;
                            stream: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_releases: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        releases: components["schemas"]["Release"][];
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    again?: boolean;
                    exclusive?: {
                        device: string;
                        path: string;
                    }[];
                    gate?: {
                        [key: string]: unknown;
                    };
                    package: string;
                    rate?: {
                        [key: string]: unknown;
                    };
                    retries?: {
                        [key: string]: unknown;
                    };
                    /** @description Whom it may reach; left out: all */
                    rule?: string;
                    /** @description Of percent(..); left out: one is drawn */
                    salt?: string;
                    stages?: components["schemas"]["Stage"][];
                    start?: boolean;
                    trusted_only?: boolean;
                    version: string;
                    when?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_releases_id: {
        parameters: {
            query?: {
                /** @description Without members, which have a list of their own */
                members?: "0";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseInFull"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_halt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_kill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_releases_id_members: {
        parameters: {
            query?: {
                after?: string;
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        members: components["schemas"]["Member"][];
                        /** @description In order of devices: the last one, for after */
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_promote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Left out: all */
                    device?: string;
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_rollback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason, for history and audit log */
                    why?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_releases_id_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        points: components["schemas"]["SeriesPoint"][];
                        thinned: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_id_start: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_releases_default_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        gate: {
                            [key: string]: unknown;
                        };
                        rule: string;
                        stages: components["schemas"]["Stage"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_releases_preview: {
        parameters: {
            query?: {
                devices_after?: string;
                /** @description Of devices and of outside; left out: 200, at most 1000 */
                limit?: number;
                outside_after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    rule?: string;
                    salt?: string;
                    stages?: components["schemas"]["Stage"][];
                    trusted_only?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        devices: string[];
                        left_out: number;
                        matched: number;
                        /** @description For devices_after */
                        next_device: string | null;
                        /** @description For outside_after */
                        next_outside: string | null;
                        outside: {
                            device: string;
                            why: string;
                        }[];
                        /** @description A release made with it reaches the same devices */
                        salt: string;
                        stages: {
                            adds: string[];
                            index: number;
                            kind: string;
                            name: string;
                            planned: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnSession"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["OpenSession"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_streams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        streams: {
                            device: string;
                            rows: number;
                            stream: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_streams_stream: {
        parameters: {
            query?: {
                after?: number;
                device?: string;
                limit?: number;
            };
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: number;
                        rows: {
                            data: unknown;
                            device: string;
                            outbox: string;
                            received_ms: number;
                            seq: number;
                            time_ms: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_tasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        scenarios: {
                            scenario: string;
                            tasks: {
                                task: string;
                                versions: components["schemas"]["TaskVersion"][];
                            }[];
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_tasks_package_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                package: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    base: string;
                    cases?: {
                        [key: string]: unknown;
                    }[];
                    files?: {
                        [key: string]: string;
                    };
                    version: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_tasks_package_log: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                package: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        log: {
                            git: components["schemas"]["GitOrigin"] | null;
                            published_ms: number | null;
                            release_counter: number;
                            releases: {
                                back: number;
                                confirmed: number;
                                created_ms: number;
                                devices: number;
                                failed: number;
                                id: string;
                                state: components["schemas"]["ReleaseState"];
                            }[];
                            version: string;
                            withdrawn?: string;
                        }[];
                        more: boolean;
                        package: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_tasks_try: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The published version that it begins with */
                    base: string;
                    /** @description Recorded cases; left out: those of the base */
                    cases?: {
                        [key: string]: unknown;
                    }[];
                    /** @description Texts by path, in place of the base's; task.json is the task's description */
                    files?: {
                        [key: string]: string;
                    };
                    package: string;
                    version?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cases: number;
                        details?: {
                            case: string;
                            error?: string;
                            ms: number;
                            passed: boolean;
                            printed: string;
                            /** @description JSON */
                            result?: string;
                            started: boolean;
                        }[];
                        /** @description Why it did not run at all */
                        error?: string;
                        failed: number;
                        failures?: {
                            case: string;
                            error: string;
                        }[];
                        first_failure?: {
                            name: string;
                            text: string;
                        };
                        p50_ms?: number;
                        p99_ms?: number;
                        passed: boolean;
                        peak_bytes?: number;
                        version?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_users: {
        parameters: {
            query?: {
                /** @description next_cursor of the page before */
                cursor?: string;
                /** @description A rule over the columns */
                filter?: string;
                /** @description At most 1000 */
                limit?: number;
                /** @description Columns, with - for descending: name,-created_ms */
                sort?: string;
                /** @description Count all that the filter lets through */
                total?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        /** @description null: this is the last page */
                        next_cursor: string | null;
                        total?: number;
                        users: components["schemas"]["User"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_users: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    groups?: string[];
                    name: string;
                    packages?: string[];
                    password?: string;
                    role: components["schemas"]["Role"];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"] & {
                        /** @description Where the server made it; shown once */
                        password?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_users_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_users_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    disabled?: boolean;
                    groups?: string[];
                    packages?: string[];
                    role?: components["schemas"]["Role"];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_users_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_users_name_password: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One's own present one */
                    old?: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        /** @description Where the server made it; shown once */
                        password?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_users_name_searches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        searches: components["schemas"]["Search"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_users_name_searches_search: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                search: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    filter: string;
                    /** @description Left out: devices */
                    list?: string;
                    sort?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_users_name_searches_search: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                search: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_users_name_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tokens: components["schemas"]["ApiToken"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_users_name_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    groups?: string[];
                    name: string;
                    packages?: string[];
                    role?: components["schemas"]["Role"];
                    valid_ms?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiToken"] & {
                        token: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_users_name_tokens_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    put_users_name_totp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        confirmed: boolean;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_users_name_totp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Codes that are good once */
                        recovery: string[];
                        /** @description Base32 */
                        secret: string;
                        uri: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_users_name_totp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_verify_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connections?: number;
                        dropped?: number;
                        enabled: boolean;
                        evicted?: number;
                        opened?: number;
                        refused?: number;
                        sessions: {
                            acceptance: number | null;
                            accepted: number;
                            bytes_down: number;
                            bytes_up: number;
                            compared: number;
                            connected: boolean;
                            device: string;
                            draft: string;
                            emitted: number;
                            idle_ms: number;
                            kv_tokens: number;
                            length: number;
                            mode: string;
                            passes: number;
                            round_trip_ms: number | null;
                            rounds: number;
                            session: unknown;
                            target: string;
                            tokens_per_s: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_verify_targets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enabled: boolean;
                        targets: {
                            busy_ms: number;
                            digest: string;
                            kv_kept_bytes: number;
                            kv_limit_bytes: number;
                            kv_used_bytes: number;
                            largest_batch: number;
                            name: string;
                            parameters: number;
                            passes: number;
                            requests: number;
                            sessions: number;
                            tokens: number;
                            version: string;
                            weight_bytes: number;
                            weights: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    events?: string[];
                    secret: string;
                    url: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    delete_webhooks_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_webhooks_id_deliveries: {
        parameters: {
            query?: {
                /** @description Only those given up */
                dead?: "1";
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            dead: boolean;
                            error: string;
                            event: number;
                            kind: string;
                            status: number;
                            time_ms: number;
                            tries: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    post_webhooks_id_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    since_ms: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        blobs: string;
                        /** @enum {string} */
                        bus: "ok" | "away";
                        /** @description ferry-server drain sends its devices away */
                        draining?: boolean;
                        ready: boolean;
                        /** @description ok, or why not */
                        store: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_tuf_metadata_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_tuf_targets_package_version_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
                package: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    get_tuf_targets_package_version_folder_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
                folder: string;
                package: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
}
