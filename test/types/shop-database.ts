/** The types of the catalogue, for clients: `createClient<Database>`. Made by `catalogue types`; do not edit. */
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  __InternalSupabase: {
    PostgrestVersion: '14';
  };
  public: {
    Tables: {
      categories: {
        Row: {
          id: number;
          category_name: string;
          description: string | null;
          parent_id: number | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          id?: number;
          category_name: string;
          description?: string | null;
          parent_id?: number | null;
        };
        Update: {
          id?: number;
          category_name?: string;
          description?: string | null;
          parent_id?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: 'categories_parent_id_fkey';
            columns: ['parent_id'];
            isOneToOne: false;
            referencedRelation: 'categories';
            referencedColumns: ['id'];
          },
        ];
      };
      suppliers: {
        Row: {
          id: number;
          company_name: string;
          country: string | null;
          since: string | null;
          contact: Json | null;
          approved: boolean | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          id?: number;
          company_name: string;
          country?: string | null;
          since?: string | null;
          contact?: Json | null;
          approved?: boolean | null;
        };
        Update: {
          id?: number;
          company_name?: string;
          country?: string | null;
          since?: string | null;
          contact?: Json | null;
          approved?: boolean | null;
        };
        Relationships: [];
      };
      products: {
        Row: {
          id: number;
          product_name: string;
          discontinued: number;
          supplier_id: number | null;
          category_id: number | null;
          quantity_per_unit: string | null;
          unit_price: number | null;
          units_in_stock: number | null;
          units_on_order: number | null;
          reorder_level: number | null;
          sku: string | null;
          tags: string[] | null;
          attributes: Json | null;
          available: boolean;
          weight: number | null;
          barcode: number | null;
          released: string | null;
          created_at: string;
          status: 'draft' | 'live' | 'retired';
          uid: string;
          second_supplier_id: number | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          id?: number;
          product_name: string;
          discontinued?: number;
          supplier_id?: number | null;
          category_id?: number | null;
          quantity_per_unit?: string | null;
          unit_price?: number | null;
          units_in_stock?: number | null;
          units_on_order?: number | null;
          reorder_level?: number | null;
          sku?: string | null;
          tags?: string[] | null;
          attributes?: Json | null;
          available?: boolean;
          weight?: number | null;
          barcode?: number | null;
          released?: string | null;
          created_at?: string;
          status?: 'draft' | 'live' | 'retired';
          uid?: string;
          second_supplier_id?: number | null;
        };
        Update: {
          id?: number;
          product_name?: string;
          discontinued?: number;
          supplier_id?: number | null;
          category_id?: number | null;
          quantity_per_unit?: string | null;
          unit_price?: number | null;
          units_in_stock?: number | null;
          units_on_order?: number | null;
          reorder_level?: number | null;
          sku?: string | null;
          tags?: string[] | null;
          attributes?: Json | null;
          available?: boolean;
          weight?: number | null;
          barcode?: number | null;
          released?: string | null;
          created_at?: string;
          status?: 'draft' | 'live' | 'retired';
          uid?: string;
          second_supplier_id?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: 'products_supplier_id_fkey';
            columns: ['supplier_id'];
            isOneToOne: false;
            referencedRelation: 'suppliers';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'products_category_id_fkey';
            columns: ['category_id'];
            isOneToOne: false;
            referencedRelation: 'categories';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'products_second_supplier_id_fkey';
            columns: ['second_supplier_id'];
            isOneToOne: false;
            referencedRelation: 'suppliers';
            referencedColumns: ['id'];
          },
        ];
      };
      labels: {
        Row: {
          id: string;
          label: string;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          id?: string;
          label: string;
        };
        Update: {
          id?: string;
          label?: string;
        };
        Relationships: [];
      };
      product_labels: {
        Row: {
          product_id: number;
          label_id: string;
          since: string | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          product_id: number;
          label_id: string;
          since?: string | null;
        };
        Update: {
          product_id?: number;
          label_id?: string;
          since?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'product_labels_product_id_fkey';
            columns: ['product_id'];
            isOneToOne: false;
            referencedRelation: 'products';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'product_labels_label_id_fkey';
            columns: ['label_id'];
            isOneToOne: false;
            referencedRelation: 'labels';
            referencedColumns: ['id'];
          },
        ];
      };
      prices: {
        Row: {
          product_id: number;
          currency: string;
          amount: number;
          valid_from: string | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          product_id: number;
          currency: string;
          amount: number;
          valid_from?: string | null;
        };
        Update: {
          product_id?: number;
          currency?: string;
          amount?: number;
          valid_from?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'prices_product_id_fkey';
            columns: ['product_id'];
            isOneToOne: false;
            referencedRelation: 'products';
            referencedColumns: ['id'];
          },
        ];
      };
      stock_moves: {
        Row: {
          id: number;
          product_id: number;
          quantity: number;
          moved_at: string;
          note: string | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          id?: number;
          product_id: number;
          quantity: number;
          moved_at?: string;
          note?: string | null;
        };
        Update: {
          id?: number;
          product_id?: number;
          quantity?: number;
          moved_at?: string;
          note?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'stock_moves_product_id_fkey';
            columns: ['product_id'];
            isOneToOne: false;
            referencedRelation: 'products';
            referencedColumns: ['id'];
          },
        ];
      };
    };
    Views: Record<never, never>;
    Functions: Record<never, never>;
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
